// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: pthread_exit comes before the write
#include <assert.h>
#include <pthread.h>
int x;
static void *work(void *arg) {
  pthread_exit(0);
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  assert(x == 1); // FAILS
}
