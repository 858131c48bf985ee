// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: nobody sees the two variables differ
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int a, b;
static void *move(void *unused) {
  __VERIFIER_atomic_begin();
  a++;
  b++;
  __VERIFIER_atomic_end();
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, move, 0);
  pthread_create(&u, 0, move, 0);
  __VERIFIER_atomic_begin();
  int difference = a - b;
  __VERIFIER_atomic_end();
  //@ assert difference == 0;
  pthread_join(t, 0);
  pthread_join(u, 0);
}
