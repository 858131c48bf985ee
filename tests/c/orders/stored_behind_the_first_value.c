// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the number is added to after both stores of the other thread, and nothing is stored before the first value
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a;
static int seen;
static void *add(void *unused) {
  seen = atomic_fetch_add_explicit(&a, 1, memory_order_seq_cst);
  return 0;
}
static void *set(void *unused) {
  a = 1;
  atomic_store_explicit(&a, 1, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, add, 0);
  pthread_create(&u, 0, set, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(!(a == 2 && seen == 1)); // FAILS
}
