// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(not_certified) horn=unknown(not_certified) cover=unknown(not_certified)
// why: the release fence comes after the store
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int ready;
static void *first(void *arg) {
  data = 42; // FAILS
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  return 0;
}
static void *second(void *arg) {
  if (atomic_load_explicit(&ready, memory_order_relaxed)) {
    atomic_thread_fence(memory_order_acquire);
    data = 43; // FAILS
  }
  return 0;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
