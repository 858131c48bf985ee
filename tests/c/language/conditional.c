// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: only the chosen arm is evaluated; the arms take a common type
#include <assert.h>
int main(void) {
  int i = 0, j = 0;
  int r = 1 ? i++ : j++;
  assert(r == 0 && i == 1 && j == 0);
  assert((i ? -1 : 1u) > 0);
  int a = 1, b = 2;
  int *p = i ? &a : 0;
  *(j ? &a : &b) = 9;
  assert(*p == 1 && b == 9);
}
