// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the result of main's thread is what it gave to pthread_exit
#include <assert.h>
#include <pthread.h>
pthread_t first;
int x;
static void *work(void *arg) {
  void *result;
  pthread_join(first, &result);
  assert(result == &x);
  return 0;
}
int main(void) {
  pthread_t t;
  first = pthread_self();
  pthread_create(&t, 0, work, 0);
  pthread_exit(&x);
}
