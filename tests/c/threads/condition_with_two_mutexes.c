// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: two threads wait for one condition, each with a mutex of its own
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *work(void *arg) {
  pthread_mutex_t *m = arg;
  pthread_mutex_lock(m);
  pthread_cond_wait(&c, m); // FAILS
  pthread_mutex_unlock(m);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, work, &a);
  pthread_create(&t, 0, work, &b);
  pthread_cond_broadcast(&c);
  pthread_join(s, 0);
  pthread_join(t, 0);
}
