// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a signal looks at its condition
#include <pthread.h>
int main(void) {
  pthread_cond_t *c = 0;
  pthread_cond_signal(c);  // FAILS
  return 0;
}
