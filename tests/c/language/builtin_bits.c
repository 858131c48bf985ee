// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: counting bits and swapping bytes
#include <assert.h>
int main(void) {
  unsigned x = 0x50u;
  assert(__builtin_popcount(x) == 2 && __builtin_ctz(x) == 4 && __builtin_clz(x) == 25);
  assert(__builtin_ffs(0) == 0 && __builtin_ffs(8) == 4);
  assert(__builtin_bswap32(0x01020304u) == 0x04030201u);
  assert(__builtin_parity(7) == 1);
}
