// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=unknown(not_certified) horn=unknown(not_certified) cover=unknown(not_certified)
// why: the store is atomic, whatever its order is called
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void *work(void *arg) {
  atomic_store_explicit(&x, 1, __ATOMIC_RELAXED);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  atomic_store_explicit(&x, 2, 0);
  pthread_join(t, 0);
}
