// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: each of two readers waits for the other to leave, while main goes on
#include <pthread.h>
pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;
volatile int on;
static void *left(void *arg) {
  pthread_rwlock_rdlock(&a);
  pthread_rwlock_wrlock(&b); // FAILS
  pthread_rwlock_unlock(&b);
  pthread_rwlock_unlock(&a);
  return 0;
}
static void *right(void *arg) {
  pthread_rwlock_rdlock(&b);
  pthread_rwlock_wrlock(&a); // FAILS
  pthread_rwlock_unlock(&a);
  pthread_rwlock_unlock(&b);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, left, 0);
  pthread_create(&t, 0, right, 0);
  for (;;)
    on = !on;
}
