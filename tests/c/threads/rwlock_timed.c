// truth: safe
// property: assert,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: timed attempts end with ETIMEDOUT where others would wait
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void *work(void *arg) {
  struct timespec until = {0, 0};
  assert(pthread_rwlock_timedrdlock(&l, &until) == ETIMEDOUT);
  assert(pthread_rwlock_timedwrlock(&l, &until) == ETIMEDOUT);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_rwlock_wrlock(&l);
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  pthread_rwlock_unlock(&l);
}
