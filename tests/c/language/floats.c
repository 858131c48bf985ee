// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: exact arithmetic on small floating-point numbers
#include <assert.h>
int main(void) {
  double d = 1.5;
  float f = 2.0f;
  assert(d * f == 3.0);
}
