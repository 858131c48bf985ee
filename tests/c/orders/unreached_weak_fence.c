// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the weak access is never executed; the fence is, and is part of the execution
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int turn, seen;
atomic_int ready;
static void *first(void *arg) {
  seen = turn;
  atomic_thread_fence(memory_order_seq_cst);
  seen = seen + turn;
  return 0;
}
static void *second(void *arg) {
  turn = 1;
  return 0;
}
int main(void) {
  pthread_t t[2];
  int never = 0;
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  if (never)
    atomic_store_explicit(&ready, 1, memory_order_release);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  assert(seen != 1); // FAILS
}
