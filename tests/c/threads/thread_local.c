// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: each thread has its own instance, initialised anew
#include <assert.h>
#include <pthread.h>
_Thread_local int x = 5;
static __thread int y;
static void *work(void *arg) {
  assert(x == 5 && y == 0);
  x = 6;
  y = 6;
  return 0;
}
int main(void) {
  pthread_t t;
  x = 1;
  y = 2;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  assert(x == 1 && y == 2);
}
