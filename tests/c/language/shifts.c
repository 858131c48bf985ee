// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: right shift of a signed value keeps the sign, of an unsigned one does not
#include <assert.h>
int main(void) {
  int a = -8;
  unsigned u = -8;
  assert(a >> 1 == -4);
  assert(u >> 1 == 2147483644u);
  assert(1 << 4 == 16);
  assert((1ull << 40) >> 38 == 4);
}
