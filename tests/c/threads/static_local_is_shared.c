// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: both threads use the one static variable
#include <assert.h>
#include <pthread.h>
static int next(void) {
  static int n;
  return ++n;
}
static void *work(void *arg) { return (void *)(long)next(); }
int main(void) {
  pthread_t t;
  void *other;
  pthread_create(&t, 0, work, 0);
  void *mine = work(0);
  pthread_join(t, &other);
  assert(mine != other); // FAILS
}
