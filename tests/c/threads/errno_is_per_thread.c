// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: another thread's error does not change errno here
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static void *work(void *arg) {
  errno = ENOMEM;
  return 0;
}
int main(void) {
  pthread_t t;
  errno = 0;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  assert(errno == 0);
}
