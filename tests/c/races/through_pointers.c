// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: both pointers lead to one object
#include <pthread.h>
#include <stdlib.h>
static void *work(void *arg) {
  *(int *)arg = 1; // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  int *p = malloc(sizeof *p);
  pthread_create(&t, 0, work, p);
  *p = 2; // FAILS
  pthread_join(t, 0);
}
