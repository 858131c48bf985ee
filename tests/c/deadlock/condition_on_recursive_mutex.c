// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: the wait gives up only one of the two locks, so the signal is never sent
#define _GNU_SOURCE
#include <pthread.h>
int ready;
pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *work(void *arg) {
  pthread_mutex_lock(&m); // FAILS
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  pthread_create(&t, 0, work, 0);
  while (!ready)
    pthread_cond_wait(&c, &m); // FAILS
  pthread_join(t, 0);
}
