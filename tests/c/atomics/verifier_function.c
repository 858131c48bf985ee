// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a function whose name starts with __VERIFIER_atomic_ runs without interruption
#include <assert.h>
#include <pthread.h>
int x;
static int __VERIFIER_atomic_next(void) {
  x = x + 1;
  return x;
}
static void *work(void *arg) {
  int n = __VERIFIER_atomic_next();
  assert(n == 1 || n == 2);
  return (void *)(long)n;
}
int main(void) {
  pthread_t t;
  void *other;
  pthread_create(&t, 0, work, 0);
  void *mine = work(0);
  pthread_join(t, &other);
  assert(mine != other);
}
