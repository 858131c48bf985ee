// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: each thread has its own state, and a change returns the one before
#include <assert.h>
#include <pthread.h>
static void *work(void *arg) {
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  assert(old == PTHREAD_CANCEL_ENABLE);
  return 0;
}
int main(void) {
  pthread_t t;
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
  pthread_create(&t, 0, work, 0);
  assert(pthread_setcancelstate(7, &old) != 0);
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
  assert(old == PTHREAD_CANCEL_DISABLE);
  return 0;
}
