// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the other thread stands between its blocks
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int a, b;
static void *move(void *unused) {
  __VERIFIER_atomic_begin();
  a++;
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  b++;
  __VERIFIER_atomic_end();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, move, 0);
  __VERIFIER_atomic_begin();
  int difference = a - b;
  __VERIFIER_atomic_end();
  //@ assert difference == 0; // FAILS
  pthread_join(t, 0);
}
