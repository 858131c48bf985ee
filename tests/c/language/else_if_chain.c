// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: one arm of a chain is taken
#include <assert.h>
static int f(int n) {
  if (n < 0)
    return -1;
  else if (n == 0)
    return 0;
  else if (n < 10)
    return 1;
  else
    return 2;
}
int main(void) { assert(f(-5) == -1 && f(0) == 0 && f(9) == 1 && f(10) == 2); }
