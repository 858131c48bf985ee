// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unknown(bound) tar=unsafe horn=unknown(work) cover=unknown(work)
// why: the worker of the round before may still run
#include <pthread.h>
int sum;
static void *work(void *unused) {
  sum = sum + 2;
  return 0;
}
int main(void) {
  pthread_t before;
  pthread_create(&before, 0, work, 0);
  for (int i = 0; i < 2; i++) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(before, 0);
    before = t;
  }
  pthread_join(before, 0);
  //@ assert sum == 6; // FAILS
}
