// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(not_certified) horn=unknown(not_certified) cover=unknown(work)
// why: one object is never seen to go back to an older value
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int a, b;
static void *first(void *arg) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_store_explicit(&x, 2, memory_order_relaxed);
  return 0;
}
static void *second(void *arg) {
  a = atomic_load_explicit(&x, memory_order_relaxed);
  b = atomic_load_explicit(&x, memory_order_relaxed);
  assert(a <= b);
  return 0;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
