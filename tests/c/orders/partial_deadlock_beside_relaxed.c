// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: two threads wait for each other's lock, whatever a third does with relaxed atomics
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
atomic_int beats;
static void *first(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b); // FAILS
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}
static void *second(void *arg) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a); // FAILS
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}
static void *beat(void *arg) {
  for (;;)
    atomic_store_explicit(&beats, 1, memory_order_relaxed);
}
int main(void) {
  pthread_t t, u, v;
  pthread_create(&v, 0, beat, 0);
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_detach(t);
  pthread_detach(u);
  pthread_exit(0);
}
