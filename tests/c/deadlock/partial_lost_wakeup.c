// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: the signal may come before the wait, and nobody sends another, though main goes on
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
volatile int beats;
static void *waiter(void *arg) {
  pthread_mutex_lock(&m);
  pthread_cond_wait(&c, &m);  // FAILS
  pthread_mutex_unlock(&m);
  return 0;
}
static void *sender(void *arg) {
  pthread_mutex_lock(&m);
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, waiter, 0);
  pthread_create(&u, 0, sender, 0);
  for (;;)
    beats = !beats;
}
