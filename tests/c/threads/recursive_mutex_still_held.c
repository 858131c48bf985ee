// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: two locks and one unlock leave the mutex held
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void *work(void *arg) {
  assert(pthread_mutex_trylock(&m) == 0); // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
}
