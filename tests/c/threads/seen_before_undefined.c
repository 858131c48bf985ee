// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the other thread sees the write before the access through null
#include <assert.h>
#include <pthread.h>
int x;
static void *work(void *arg) {
  x = 1;
  *(int *)0 = 2;  // CAN FAIL
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  assert(x == 0); // FAILS
  return 0;
}
