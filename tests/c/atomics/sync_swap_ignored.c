// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the swap fails when the other thread was first, and nobody tries again
#include <assert.h>
#include <pthread.h>
int x;
static void *work(void *arg) {
  int old = x;
  __sync_bool_compare_and_swap(&x, old, old + 1);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  assert(x == 2); // FAILS
}
