// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a read and a write may come together
#include <pthread.h>
int x, y;
static void *work(void *arg) {
  y = x; // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  x = 2; // FAILS
  pthread_join(t, 0);
}
