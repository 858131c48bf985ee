// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: undefined whichever property is asked for
#include <pthread.h>
static void with(pthread_mutex_t *m) {
  pthread_mutex_lock(m);  // FAILS
  pthread_mutex_unlock(m);
}
int main(void) {
  pthread_mutex_t m;
  with(&m);
  return 0;
}
