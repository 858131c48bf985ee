// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unknown(work)
// why: both threads see the flag unset
#include <assert.h>
#include <pthread.h>
int runs, flag;
static void init(void) { runs++; }
static void *work(void *arg) {
  if (!flag) {
    flag = 1;
    init();
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  assert(runs <= 1); // FAILS
}
