// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: a timed wait comes to an end without a signal
#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int main(void) {
  struct timespec until = {0, 0};
  pthread_mutex_lock(&m);
  pthread_cond_timedwait(&c, &m, &until);
  pthread_mutex_unlock(&m);
}
