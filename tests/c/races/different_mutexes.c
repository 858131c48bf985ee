// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: each thread holds a mutex of its own
#include <pthread.h>
int x;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  pthread_mutex_lock(&a);
  x = 1; // FAILS
  pthread_mutex_unlock(&a);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&b);
  x = 2; // FAILS
  pthread_mutex_unlock(&b);
  pthread_join(t, 0);
}
