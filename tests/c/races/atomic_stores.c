// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=unknown(not_certified) horn=unknown(not_certified) cover=unknown(not_certified)
// why: both stores are atomic, by the macro of stdatomic.h
#include <pthread.h>
#include <stdatomic.h>
atomic_int n;
static void *work(void *arg) {
  atomic_store(&n, 3);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  atomic_store_explicit(&n, 0, memory_order_relaxed);
  pthread_join(t, 0);
}
