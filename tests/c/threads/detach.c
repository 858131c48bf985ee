// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a detached thread runs like any other
#include <assert.h>
#include <pthread.h>
int x;
static void *work(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  pthread_create(&t, &attr, work, 0);
  pthread_attr_destroy(&attr);
  pthread_create(&t, 0, work, 0);
  assert(pthread_detach(t) == 0);
  assert(x == 0 || x == 1);
}
