// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the main thread may reach its assertion before the other one exits
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static void *work(void *arg) { exit(0); }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  assert(0); // FAILS
}
