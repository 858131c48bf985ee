// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the second of three assertions fails
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void *work(void *unused) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  int seen = x;
  /*@ assert seen >= 0;
      assert seen == 0; // FAILS
      assert seen <= 1; */
  pthread_join(t, 0);
}
