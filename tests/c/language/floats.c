// truth: safe
// property: assert
// engines: explore=unknown(float) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: exact arithmetic on small floating-point numbers
#include <assert.h>
int main(void) {
  double d = 1.5;
  float f = 2.0f;
  assert(d * f == 3.0);
}
