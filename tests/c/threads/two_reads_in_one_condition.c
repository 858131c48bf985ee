// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the variable is read twice, and changes in between
#include <assert.h>
#include <pthread.h>
int x;
static void *work(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  assert(x == x); // FAILS
  pthread_join(t, 0);
}
