// truth: safe
// property: assert
// engines: explore=unknown(too many) contexts=unknown(bound) tar=safe horn=unknown(work) cover=safe
// why: no square ends in these bits, but there are too many values to try
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  assert((x * x) % 4 != 3);
}
