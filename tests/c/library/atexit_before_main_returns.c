// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the thread may not have run when main returns
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int done;
static void last(void) {
  assert(done); // FAILS
}
static void *work(void *arg) {
  done = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  atexit(last);
  pthread_create(&t, 0, work, 0);
}
