// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: several ways out of an atomic function
#include <assert.h>
#include <pthread.h>
int x, last;
static int __VERIFIER_atomic_take(void) {
  if (x >= 1)
    return 0;
  x++;
  return 1;
}
static void *work(void *arg) {
  if (__VERIFIER_atomic_take())
    last++;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  assert(last == 1);
}
