// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: whoever got the mutex in time is alone
#include <assert.h>
#include <pthread.h>
#include <time.h>
int inside;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  struct timespec until = {0, 0};
  if (pthread_mutex_timedlock(&m, &until) == 0) {
    inside++;
    assert(inside == 1);
    inside--;
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
