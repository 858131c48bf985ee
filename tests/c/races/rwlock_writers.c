// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unknown(work)
// why: a write under a read lock
#include <pthread.h>
int x;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void *work(void *arg) {
  pthread_rwlock_rdlock(&l);
  x = 1; // FAILS
  pthread_rwlock_unlock(&l);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, work, 0);
  pthread_create(&t, 0, work, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
}
