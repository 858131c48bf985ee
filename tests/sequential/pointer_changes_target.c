// truth: safe
// property: assert
// back end: unwind=2 bounded; invariants
// why: whichever variable is written, the other stays
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int a = 1, b = 1;
int main(void) {
  int *p = &a;
  while (__VERIFIER_nondet_int()) {
    *p = 2;
    p = p == &a ? &b : &a;
    *p = 1;
  }
  assert(a == 1 || b == 1);
  return 0;
}
