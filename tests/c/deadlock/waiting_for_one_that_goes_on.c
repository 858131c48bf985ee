// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: the holder of the lock never stops, but it waits for nobody
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
volatile int beats;
static void *work(void *arg) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, 0, work, 0);
  for (;;)
    beats = !beats;
}
