// truth: safe
// property: assert
// back end: unwind=2 bounded; invariants
// why: both functions keep the number even
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

unsigned twice(unsigned x) { return x < 1000 ? 2 * x : x; }
unsigned more(unsigned x) { return x < 1000 ? x + 2 : x; }
unsigned (*table[2])(unsigned) = {twice, more};
int main(void) {
  unsigned x = 0;
  while (__VERIFIER_nondet_int())
    x = table[__VERIFIER_nondet_int() != 0](x);
  assert(x <= 2000);
  return 0;
}
