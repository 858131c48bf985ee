// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: one thread waits with two mutexes, one after the other
#include <pthread.h>
#include <time.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *work(void *arg) {
  struct timespec soon = {0};
  pthread_mutex_lock(&a);
  pthread_cond_timedwait(&c, &a, &soon);
  pthread_mutex_unlock(&a);
  pthread_mutex_lock(&b);
  pthread_cond_timedwait(&c, &b, &soon);
  pthread_mutex_unlock(&b);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_cond_signal(&c);
  pthread_join(t, 0);
}
