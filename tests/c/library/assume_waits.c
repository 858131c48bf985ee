// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: an assumption about shared memory holds at one moment
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
int x;
static void *work(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  __VERIFIER_assume(x == 1);
  assert(x == 1);
}
