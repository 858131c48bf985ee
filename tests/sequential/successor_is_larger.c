// truth: unsafe
// property: assert
// back end: unwind=1 wrong
// why: the largest number wraps around to zero
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  assert(x + 1 > x); // FAILS
  return 0;
}
