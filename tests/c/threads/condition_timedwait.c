// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a timed wait may end without a signal
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int main(void) {
  struct timespec until = {0, 0};
  pthread_mutex_lock(&m);
  int r = pthread_cond_timedwait(&c, &m, &until);
  assert(r == 0 || r == ETIMEDOUT);
  assert(r == 0); // FAILS
  pthread_mutex_unlock(&m);
}
