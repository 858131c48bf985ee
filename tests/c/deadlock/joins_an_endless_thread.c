// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: to wait for a thread that goes on for ever is no deadlock
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int beats;
static void *beat(void *arg) {
  for (;;) {
    pthread_mutex_lock(&m);
    beats = !beats;
    pthread_mutex_unlock(&m);
  }
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, beat, 0);
  pthread_join(t, 0);
  return 0;
}
