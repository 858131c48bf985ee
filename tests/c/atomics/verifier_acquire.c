// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: an assumption inside an atomic function makes it wait for the lock
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
int lock, x;
static void __VERIFIER_atomic_acquire(void) {
  __VERIFIER_assume(lock == 0);
  lock = 1;
}
static void __VERIFIER_atomic_release(void) {
  __VERIFIER_assume(lock == 1);
  lock = 0;
}
static void *work(void *arg) {
  __VERIFIER_atomic_acquire();
  x++;
  __VERIFIER_atomic_release();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  assert(x == 2);
}
