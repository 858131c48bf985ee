// truth: safe
// property: overflow
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: unsigned arithmetic wraps by definition
#include <limits.h>
int main(void) {
  unsigned x = UINT_MAX;
  x++;
  x *= 3;
  x = -x - 1;
  return x == 0;
}
