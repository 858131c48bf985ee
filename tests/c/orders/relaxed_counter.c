// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a read-modify-write reads the latest value, and joins order the last read
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int count;
static void *first(void *arg) {
  for (int i = 0; i < 3; i++)
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return 0;
}
static void *second(void *arg) {
  for (int i = 0; i < 3; i++)
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  assert(atomic_load_explicit(&count, memory_order_relaxed) == 6);
}
