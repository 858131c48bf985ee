// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(not_certified) horn=unknown(not_certified) cover=unknown(not_certified)
// why: a relaxed flag orders nothing
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int ready;
static void *first(void *arg) {
  data = 42; // FAILS
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  return 0;
}
static void *second(void *arg) {
  if (atomic_load_explicit(&ready, memory_order_relaxed))
    data = 43; // FAILS
  return 0;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
