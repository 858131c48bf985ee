// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: an atomic load and an atomic store are two actions
#include <assert.h>
#include <pthread.h>
int x;
static void *work(void *arg) {
  __atomic_store_n(&x, __atomic_load_n(&x, __ATOMIC_SEQ_CST) + 1, __ATOMIC_SEQ_CST);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  assert(x == 2); // FAILS
}
