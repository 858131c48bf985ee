// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(not_certified) horn=unknown(work) cover=unknown(work)
// why: a store of another thread ends the release sequence
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int ready;
static void *first(void *arg) {
  data = 42; // FAILS
  atomic_store_explicit(&ready, 1, memory_order_release);
  return 0;
}
static void *second(void *arg) {
  if (atomic_load_explicit(&ready, memory_order_relaxed) == 1)
    atomic_store_explicit(&ready, 2, memory_order_relaxed);
  return 0;
}
static void *third(void *arg) {
  if (atomic_load_explicit(&ready, memory_order_acquire) == 2)
    data = 43; // FAILS
  return 0;
}
int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_create(&t[2], 0, third, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  pthread_join(t[2], 0);
}
