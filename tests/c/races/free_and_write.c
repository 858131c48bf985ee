// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unknown(bound) tar=unsafe horn=unsafe cover=unsafe
// why: to free memory is to access it
#include <pthread.h>
#include <stdlib.h>
static void *work(void *arg) {
  *(int *)arg = 1; // FAILS
  return 0;
}
int main(void) {
  int *p = malloc(sizeof *p);
  pthread_t t;
  pthread_create(&t, 0, work, p);
  free(p); // FAILS
  pthread_join(t, 0);
}
