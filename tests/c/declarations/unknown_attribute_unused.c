// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: an unknown attribute of what is not used does not matter
#include <assert.h>
__attribute__((frobnicate)) static int unused(void) { return 1; }
struct __attribute__((frobnicate)) s { int x; };
int main(void) {
  assert(1 + 1 == 2);
  return 0;
}
