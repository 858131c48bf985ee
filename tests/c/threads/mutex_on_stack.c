// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: both ways to initialise a mutex, also again after its destruction
#include <assert.h>
#include <pthread.h>
int main(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n;
  pthread_mutex_init(&n, 0);
  assert(pthread_mutex_lock(&m) == 0);
  assert(pthread_mutex_lock(&n) == 0);
  pthread_mutex_unlock(&n);
  pthread_mutex_unlock(&m);
  pthread_mutex_destroy(&n);
  pthread_mutex_init(&n, 0);
  assert(pthread_mutex_trylock(&n) == 0);
  return 0;
}
