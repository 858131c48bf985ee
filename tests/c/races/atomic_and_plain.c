// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: one of the accesses is plain
#include <pthread.h>
int x;
static void *work(void *arg) {
  __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST); // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  int y = x; // FAILS
  pthread_join(t, 0);
}
