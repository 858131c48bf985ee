// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the mutex is held at both accesses
#include <pthread.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  x++;
}
