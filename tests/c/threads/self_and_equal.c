// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a thread is itself and not another one
#include <assert.h>
#include <pthread.h>
pthread_t first;
static void *work(void *arg) {
  assert(!pthread_equal(pthread_self(), first));
  return 0;
}
int main(void) {
  pthread_t t;
  first = pthread_self();
  assert(pthread_equal(first, pthread_self()));
  pthread_create(&t, 0, work, 0);
  assert(t != first);
  pthread_join(t, 0);
}
