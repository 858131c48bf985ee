// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the pointer is redirected between the test and the call
#include <assert.h>
#include <pthread.h>
static int good(void) { return 0; }
static int bad(void) { return 1; }
int (*f)(void) = good;
static void *work(void *arg) {
  f = bad;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  if (f == good)
    assert(f() == 0); // FAILS
  pthread_join(t, 0);
}
