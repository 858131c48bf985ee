// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: who joins the main thread sees what it did before its pthread_exit, and its result
#include <assert.h>
#include <pthread.h>
pthread_t first;
int x;
static void *work(void *arg) {
  void *result;
  pthread_join(first, &result);
  assert(x == 1 && result == &x);
  return 0;
}
int main(void) {
  pthread_t t;
  first = pthread_self();
  pthread_create(&t, 0, work, 0);
  x = 1;
  pthread_exit(&x);
}
