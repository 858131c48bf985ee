// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the main thread frees while the other still reads
#include <pthread.h>
#include <stdlib.h>
int *p;
static void *work(void *arg) {
  *p = 1; // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  p = malloc(sizeof *p);
  pthread_create(&t, 0, work, 0);
  free(p);
  pthread_join(t, 0);
}
