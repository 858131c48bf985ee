// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: both threads find the pointer set and free what it leads to
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int *_Atomic buffer;
static void *clear(void *arg) {
  int *mine = buffer;
  if (mine) {
    buffer = 0;
    free(mine);  // FAILS
  }
  return 0;
}
int main(void) {
  pthread_t t;
  buffer = malloc(sizeof(int));
  pthread_create(&t, 0, clear, 0);
  clear(0);
  pthread_join(t, 0);
}
