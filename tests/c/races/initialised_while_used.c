// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: atomic_init is no atomic access
#include <pthread.h>
#include <stdatomic.h>
atomic_int n;
static void *work(void *arg) {
  atomic_init(&n, 3); // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  n++; // FAILS
  pthread_join(t, 0);
}
