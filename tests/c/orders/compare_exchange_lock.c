// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=unknown(not_certified) horn=unknown(work) cover=unknown(work)
// why: only a success needs to acquire
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int lock;
static void *first(void *arg) {
  int free_lock = 0;
  while (!atomic_compare_exchange_weak_explicit(&lock, &free_lock, 1, memory_order_acquire,
                                                memory_order_relaxed))
    free_lock = 0;
  data++;
  atomic_store_explicit(&lock, 0, memory_order_release);
  return 0;
}
static void *second(void *arg) {
  int free_lock = 0;
  while (!atomic_compare_exchange_weak_explicit(&lock, &free_lock, 1, memory_order_acquire,
                                                memory_order_relaxed))
    free_lock = 0;
  data++;
  atomic_store_explicit(&lock, 0, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
