// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: zeros with signs, infinities and what is not a number compare as IEEE 754 says
#include <assert.h>
#include <math.h>
int main(void) {
  volatile double zero = 0.0;
  double infinite = 1 / zero, none = zero / zero, minus = -zero;
  assert(infinite > 1e308 && -infinite < 0 && infinite == HUGE_VAL);
  assert(none != none && !(none < 1) && !(none >= 1) && !(none == none));
  assert(isnan(none) && isinf(infinite) && !isfinite(none) && isfinite(zero));
  assert(minus == zero && 1 / minus < 0 && signbit(minus) && !signbit(zero));
  assert(none ? 1 : 0);
  assert(!minus);
  assert(fpclassify(1e-310) == FP_SUBNORMAL && fpclassify(none) == FP_NAN);
  assert(1e308 * 10 == infinite && 5e-324 / 2 == 0);
}
