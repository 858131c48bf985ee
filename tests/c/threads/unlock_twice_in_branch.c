// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the error path unlocks, and so does the end of the function
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
static int change(int by) {
  pthread_mutex_lock(&m);
  if (by < 0)
    pthread_mutex_unlock(&m);
  else
    x += by;
  pthread_mutex_unlock(&m); // FAILS
  return 0;
}
static void *work(void *arg) {
  change(1);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  change(__VERIFIER_nondet_int() ? -1 : 1);
  pthread_join(t, 0);
}
