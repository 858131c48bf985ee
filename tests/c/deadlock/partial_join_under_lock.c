// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: a thread joins one that waits for its mutex, while main goes on
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *inner(void *arg) {
  pthread_mutex_lock(&m); // FAILS
  pthread_mutex_unlock(&m);
  return 0;
}
static void *outer(void *arg) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, 0, inner, 0);
  pthread_join(t, 0); // FAILS
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, outer, 0);
  for (;;)
    ;
}
