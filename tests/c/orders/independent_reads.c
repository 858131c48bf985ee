// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: two readers may see independent writes in different orders
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int a, b, c, d;
static void *first(void *arg) {
  atomic_store_explicit(&x, 1, memory_order_release);
  return 0;
}
static void *second(void *arg) {
  atomic_store_explicit(&y, 1, memory_order_release);
  return 0;
}
static void *third(void *arg) {
  a = atomic_load_explicit(&x, memory_order_acquire);
  b = atomic_load_explicit(&y, memory_order_acquire);
  return 0;
}
static void *fourth(void *arg) {
  c = atomic_load_explicit(&y, memory_order_acquire);
  d = atomic_load_explicit(&x, memory_order_acquire);
  return 0;
}
int main(void) {
  pthread_t t[4];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_create(&t[2], 0, third, 0);
  pthread_create(&t[3], 0, fourth, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  pthread_join(t[2], 0);
  pthread_join(t[3], 0);
  assert(!(a == 1 && b == 0 && c == 1 && d == 0)); // FAILS
}
