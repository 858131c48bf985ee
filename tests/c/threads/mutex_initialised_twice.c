// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: two threads initialise one mutex, which is undefined
#include <pthread.h>
pthread_mutex_t m;
static void *work(void *arg) {
  pthread_mutex_init(&m, 0); // FAILS
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, work, 0);
  pthread_create(&t, 0, work, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
}
