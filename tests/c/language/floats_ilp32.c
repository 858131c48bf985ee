// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// model: ilp32
// why: what is exact needs no more precision than the type has
#include <assert.h>
int main(void) {
  volatile int n = 7;
  double d = n;
  float f = 2.5f;
  assert(d == 7.0 && d > f && (int)f == 2 && sizeof(long double) == 12);
}
