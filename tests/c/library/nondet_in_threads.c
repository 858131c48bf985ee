// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the two inputs are independent
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static void *work(void *arg) {
  *(int *)arg = __VERIFIER_nondet_int();
  return 0;
}
int main(void) {
  pthread_t t;
  int a, b;
  pthread_create(&t, 0, work, &a);
  work(&b);
  pthread_join(t, 0);
  if (a == 3)
    assert(b != 5); // FAILS
}
