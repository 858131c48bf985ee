// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the bitwise operators act on all bits
#include <assert.h>
int main(void) {
  unsigned x = 0xf0f0u, y = 0x0ff0u;
  assert((x & y) == 0x00f0u);
  assert((x | y) == 0xfff0u);
  assert((x ^ y) == 0xff00u);
  assert((~x & 0xffffu) == 0x0f0fu);
}
