// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: an atomic struct of two words is loaded as a whole
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct pair { int a, b; };
_Atomic struct pair p;
static void *work(void *arg) {
  struct pair q = {1, 1};
  atomic_store(&p, q);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  struct pair q = atomic_load(&p);
  assert(q.a == q.b);
  pthread_join(t, 0);
}
