// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: division truncates towards zero, and the remainder has the dividend's sign
#include <assert.h>
int main(void) {
  int a = -7, b = 2;
  assert(a / b == -3 && a % b == -1);
  assert(7 / -2 == -3 && 7 % -2 == 1);
  unsigned u = -7;
  assert(u / 2 == 2147483644u);
}
