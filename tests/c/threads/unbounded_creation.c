// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unknown(bound) tar=unsafe horn=unsafe cover=unsafe
// why: among any number of threads there are three
#include <assert.h>
#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  pthread_mutex_lock(&m);
  x++;
  assert(x < 3); // FAILS
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  while (__VERIFIER_nondet_bool())
    pthread_create(&t, 0, work, 0);
  pthread_exit(0);
}
