// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a struct is copied by plain accesses, whatever its members are
#include <pthread.h>
#include <stdatomic.h>
struct counter {
  atomic_int n;
} shared, copy;
static void *work(void *arg) {
  shared.n++; // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  copy = shared; // FAILS
  pthread_join(t, 0);
}
