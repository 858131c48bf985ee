// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: trying fails with EBUSY exactly where locking would wait
#include <assert.h>
#include <errno.h>
#include <pthread.h>
pthread_rwlock_t l;
int main(void) {
  pthread_rwlock_init(&l, 0);
  assert(pthread_rwlock_tryrdlock(&l) == 0);
  assert(pthread_rwlock_tryrdlock(&l) == 0);
  assert(pthread_rwlock_trywrlock(&l) == EBUSY);
  pthread_rwlock_unlock(&l);
  pthread_rwlock_unlock(&l);
  assert(pthread_rwlock_trywrlock(&l) == 0);
  assert(pthread_rwlock_tryrdlock(&l) == EBUSY);
  pthread_rwlock_unlock(&l);
  assert(pthread_rwlock_destroy(&l) == 0);
}
