// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: what is asked for is what was set
#include <assert.h>
#include <pthread.h>
int main(void) {
  pthread_attr_t a;
  pthread_mutexattr_t m;
  int state, kind;
  size_t size;
  pthread_attr_init(&a);
  assert(pthread_attr_setstacksize(&a, 1) != 0);
  pthread_attr_setstacksize(&a, 65536);
  pthread_attr_getstacksize(&a, &size);
  assert(size == 65536);
  pthread_attr_getdetachstate(&a, &state);
  assert(state == PTHREAD_CREATE_JOINABLE);
  pthread_attr_destroy(&a);
  pthread_mutexattr_init(&m);
  pthread_mutexattr_settype(&m, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutexattr_gettype(&m, &kind);
  assert(kind == PTHREAD_MUTEX_ERRORCHECK);
  return 0;
}
