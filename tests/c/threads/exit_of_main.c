// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the other threads go on when the main thread ends by pthread_exit
#include <assert.h>
#include <pthread.h>
int x;
static void *work(void *arg) {
  assert(x == 0); // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  x = 1;
  pthread_exit(0);
}
