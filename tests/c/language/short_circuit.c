// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the right operand of && and || is evaluated only when it decides
#include <assert.h>
int main(void) {
  int a = 0, b = 0;
  int r = a++ && b++;
  assert(r == 0 && a == 1 && b == 0);
  r = a || b++;
  assert(r == 1 && b == 0);
  int *p = 0;
  assert(!(p && *p));
  assert((2 && 3) == 1 && (0 || 5) == 1 && !7 == 0);
}
