// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: two readers may hold the lock at the same time
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int inside;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void *reader(void *arg) {
  pthread_rwlock_rdlock(&l);
  int now = ++inside;
  assert(now == 1); // FAILS
  --inside;
  pthread_rwlock_unlock(&l);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, reader, 0);
  pthread_create(&t, 0, reader, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
}
