// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a main thread that ends by pthread_exit can be joined, and is seen to have ended
#include <assert.h>
#include <pthread.h>
pthread_t first;
int x;
static void *work(void *arg) {
  pthread_join(first, 0);
  assert(x == 0); // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  first = pthread_self();
  pthread_create(&t, 0, work, 0);
  x = 1;
  pthread_exit(0);
}
