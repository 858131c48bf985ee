// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unsafe
// why: a count that is taken back twice
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int inside;
static void *work(void *unused) {
  __VERIFIER_atomic_begin();
  inside++;
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  if (inside > 1)
    inside--;
  inside--;
  //@ assert inside >= 0; // FAILS
  __VERIFIER_atomic_end();
  return 0;
}
int main(void) {
  while (__VERIFIER_nondet_int()) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
  }
}
