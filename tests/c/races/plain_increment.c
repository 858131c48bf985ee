// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: two threads write without a lock
#include <pthread.h>
int x;
static void *work(void *arg) {
  x = 1; // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  x = 2; // FAILS
  pthread_join(t, 0);
}
