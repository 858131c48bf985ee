// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the thread is not the main thread
#include <assert.h>
#include <pthread.h>
pthread_t first;
static void *work(void *arg) {
  assert(pthread_equal(pthread_self(), first)); // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  first = pthread_self();
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
}
