// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(refinement) horn=unknown(refinement) cover=unknown(refinement)
// why: functions of math.h whose results IEEE 754 or their definition fixes
#include <assert.h>
#include <math.h>
int main(void) {
  int power;
  double whole;
  assert(floor(-2.5) == -3 && ceil(-2.5) == -2 && trunc(-2.5) == -2 && signbit(ceil(-0.5)));
  assert(round(2.5) == 3 && round(-2.5) == -3 && rint(2.5) == 2 && rint(3.5) == 4);
  assert(lround(-0.5) == -1 && llrint(1e15) == 1000000000000000ll);
  assert(sqrt(2.0) == 1.4142135623730951 && sqrtf(2.0f) == 1.4142135f && isnan(sqrt(-1.0)));
  assert(fabs(-3) == 3 && fmod(-5.5, 2) == -1.5 && copysign(2, -0.0) == -2);
  assert(fmin(1, NAN) == 1 && fmax(1, 2) == 2 && fdim(3, 1) == 2);
  assert(ldexp(0.5, 4) == 8 && ldexp(1, -1074) == 5e-324 && ldexp(1, 2000) == INFINITY);
  assert(frexp(-10, &power) == -0.625 && power == 4);
  assert(modf(-3.25, &whole) == -0.25 && whole == -3);
}
