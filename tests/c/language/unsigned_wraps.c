// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: unsigned arithmetic is modulo a power of two
#include <assert.h>
#include <limits.h>
int main(void) {
  unsigned x = UINT_MAX;
  x++;
  assert(x == 0);
  x -= 1;
  assert(x == UINT_MAX);
  unsigned short s = 65535;
  s += 2;
  assert(s == 1);
  unsigned long long l = 1ull << 63;
  assert(l * 2 == 0);
}
