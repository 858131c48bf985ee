// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the thread need not have come to its access through null when the assertion fails
#include <assert.h>
#include <pthread.h>
int done;
static void *work(void *arg) {
  int *nowhere = 0;
  *nowhere = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  assert(done); // FAILS
  return 0;
}
