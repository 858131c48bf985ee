// truth: unsafe
// property: assert
// engines: explore=unknown(input_too_large) contexts=unsafe tar=unknown(refinement) horn=unsafe cover=unknown(refinement)
// why: large numbers do not change when one is added
#include <assert.h>
extern float __VERIFIER_nondet_float(void);
int main(void) {
  float x = __VERIFIER_nondet_float();
  if (x > 1 && x < 1e30f)
    assert(x + 1 > x); // FAILS
}
