// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: rounding, zeroes with a sign, infinities, and what is no number
#include <assert.h>
#include <math.h>
int main(void) {
  float f = 0.1f;
  double zero = -0.0, none = 0.0 / zero;
  assert(f != 0.1 && (float)0.1 == f && 0.1 + 0.2 != 0.3);
  assert(zero == 0.0 && signbit(zero) && none != none);
  assert((int)-2.9 == -2 && (int)(float)16777217 == 16777216);
  assert(1e308 * 10 > 1e308 && fmod(-7.5, 2) == -1.5);
}
