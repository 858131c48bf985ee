// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: pthread_exit ends the thread from within another function
#include <assert.h>
#include <pthread.h>
static int x;
static void leave(void *value) { pthread_exit(value); }
static void *work(void *arg) {
  leave(&x);
  x = 7;
  return 0;
}
int main(void) {
  pthread_t t;
  void *result;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, &result);
  assert(result == &x);
  assert(x == 7); // FAILS
}
