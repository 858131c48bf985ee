// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=unknown(not_certified) horn=unknown(work) cover=unknown(work)
// why: an acquire takes the lock and a release gives it back
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int lock;
static void *first(void *arg) {
  while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
    ;
  data++;
  atomic_store_explicit(&lock, 0, memory_order_release);
  return 0;
}
static void *second(void *arg) {
  while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
    ;
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
