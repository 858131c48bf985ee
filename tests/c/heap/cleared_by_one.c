// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(no violation within) tar=unknown(work) horn=safe cover=safe
// why: who takes the pointer out frees it
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int *_Atomic buffer;
static void *clear(void *arg) {
  int *mine = atomic_exchange(&buffer, (int *)0);
  free(mine);
  return 0;
}
int main(void) {
  pthread_t t;
  buffer = malloc(sizeof(int));
  pthread_create(&t, 0, clear, 0);
  clear(0);
  pthread_join(t, 0);
}
