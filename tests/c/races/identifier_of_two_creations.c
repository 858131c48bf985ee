// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: two threads store identifiers in one variable
#include <pthread.h>
pthread_t last;
static void *nothing(void *arg) { return 0; }
static void *work(void *arg) {
  pthread_create(&last, 0, nothing, 0); // FAILS
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, work, 0);
  pthread_create(&t, 0, work, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
}
