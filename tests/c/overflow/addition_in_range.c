// truth: safe
// property: overflow
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the sum is just small enough
#include <limits.h>
int main(void) {
  int x = INT_MAX - 1;
  x = x + 1;
  return x == 0;
}
