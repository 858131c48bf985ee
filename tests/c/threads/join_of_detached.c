// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a thread that was detached must not be joined
#include <pthread.h>
static void *work(void *arg) {
  pthread_detach(pthread_self());  // CAN FAIL
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);  // FAILS
  return 0;
}
