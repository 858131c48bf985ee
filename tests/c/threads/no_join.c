// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: without join the main thread may be first
#include <assert.h>
#include <pthread.h>
int x;
static void *work(void *arg) {
  x = 7;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  assert(x == 7); // FAILS
}
