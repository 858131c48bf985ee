// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(refinement) horn=unknown(refinement) cover=unknown(refinement)
// why: an input is any number or none, and comparisons divide them
#include <assert.h>
extern double __VERIFIER_nondet_double(void);
int main(void) {
  double x = __VERIFIER_nondet_double();
  if (x > 1.0 && x < 2.0)
    assert(x != 3.0 && x >= 1.0 && (int)x == 1);
  if (x == x)
    assert(x <= 0 || x > 0);
  else
    assert(!(x < 5) && !(x >= 5));
}
