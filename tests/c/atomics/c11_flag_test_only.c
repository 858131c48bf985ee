// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unknown(work)
// why: nobody sets the flag in one action with the test
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int flag;
int x;
static void *work(void *arg) {
  while (flag)
    ;
  flag = 1;
  x++;
  flag = 0;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  assert(x == 2); // FAILS
}
