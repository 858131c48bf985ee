// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the variable that the thread writes is gone when the function has returned
#include <pthread.h>
static void *work(void *arg) {
  *(int *)arg = 1; // FAILS
  return 0;
}
static void start(pthread_t *t) {
  int local = 0;
  pthread_create(t, 0, work, &local);
}
int main(void) {
  pthread_t t;
  start(&t);
  pthread_join(t, 0);
}
