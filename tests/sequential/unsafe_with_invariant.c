// truth: unsafe
// property: assert
// back end: unwind=4 wrong; rejected
// why: an invariant that would exclude the error does not hold
#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int i = 0;
  /*@ loop invariant i <= 2; */ // NOT USED
  while (i < n)
    i++;
  assert(i < 3);
  return 0;
}
