// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: a pointer to a thread's instance may be handed to another thread
#include <assert.h>
#include <pthread.h>
_Thread_local int x;
static void *work(void *arg) {
  *(int *)arg = 6;
  assert(x == 0);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, &x);
  pthread_join(t, 0);
  assert(x == 0); // FAILS
}
