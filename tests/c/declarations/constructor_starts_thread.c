// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a thread that a constructor starts runs beside main
#include <pthread.h>
static int n;
static void *work(void *arg) {
  n = 1;  // FAILS
  return 0;
}
__attribute__((constructor)) static void start(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
}
int main(void) {
  n = 2;  // FAILS
  return 0;
}
