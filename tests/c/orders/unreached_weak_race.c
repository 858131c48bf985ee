// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the only weak access is never executed, and the writes race as in any program
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int ready;
static void *writer(void *arg) {
  data = 1; // FAILS
  return 0;
}
int main(void) {
  pthread_t t[2];
  int never = 0;
  pthread_create(&t[0], 0, writer, 0);
  pthread_create(&t[1], 0, writer, 0);
  if (never)
    atomic_store_explicit(&ready, 1, memory_order_release);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
