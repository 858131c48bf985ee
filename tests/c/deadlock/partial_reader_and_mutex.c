// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: a reader waits for a mutex whose holder waits for the writer, which waits for the reader
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
volatile int on;
static void *reads(void *arg) {
  pthread_rwlock_rdlock(&l);
  pthread_mutex_lock(&m); // FAILS
  pthread_mutex_unlock(&m);
  pthread_rwlock_unlock(&l);
  return 0;
}
static void *writes(void *arg) {
  pthread_mutex_lock(&m);
  pthread_rwlock_wrlock(&l); // FAILS
  pthread_rwlock_unlock(&l);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, reads, 0);
  pthread_create(&t, 0, writes, 0);
  for (;;)
    on = !on;
}
