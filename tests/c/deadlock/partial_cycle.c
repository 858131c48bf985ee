// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: two threads wait for each other's lock for ever; that a third goes on does not help them
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
volatile int beats;
static void *one(void *arg) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);  // FAILS
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}
static void *two(void *arg) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);  // FAILS
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, one, 0);
  pthread_create(&u, 0, two, 0);
  for (;;)
    beats = !beats;
}
