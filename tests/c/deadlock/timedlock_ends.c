// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: a timed lock comes to an end although the mutex stays locked
#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
  struct timespec until = {0, 0};
  pthread_mutex_lock(&m);
  if (pthread_mutex_timedlock(&m, &until) == 0)
    pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&m);
}
