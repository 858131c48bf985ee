// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: the counter never falls below zero, however many workers there are
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
  //@ assert inside > 0;
  inside--;
  __VERIFIER_atomic_end();
  return 0;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  for (int i = 0; i < n && i < 3; i++) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
  }
}
