// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: who has the write lock would wait for itself
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int main(void) {
  struct timespec until = {0, 0};
  pthread_rwlock_wrlock(&l);
  assert(pthread_rwlock_timedrdlock(&l, &until) == EDEADLK);
  assert(pthread_rwlock_timedwrlock(&l, &until) == EDEADLK);
  assert(pthread_rwlock_tryrdlock(&l) == EBUSY);
  return 0;
}
