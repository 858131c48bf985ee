// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: join waits for the thread, so its write is seen
#include <assert.h>
#include <pthread.h>
int x;
static void *work(void *arg) {
  x = *(int *)arg;
  return 0;
}
int main(void) {
  pthread_t t;
  int seven = 7;
  assert(pthread_create(&t, 0, work, &seven) == 0);
  assert(pthread_join(t, 0) == 0);
  assert(x == 7);
}
