// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the builtins of gcc that headers use have their values
#include <assert.h>
int main(void) {
  int x = 12;
  if (__builtin_expect(x == 12, 1))
    x++;
  assert(x == 13);
  assert(__builtin_constant_p(3) == 1);
  assert(__builtin_types_compatible_p(int, const int) == 1);
  assert(__builtin_choose_expr(1, 5, "no") == 5);
  assert(__builtin_offsetof(struct { char c; int i; }, i) == 4);
  if (x == 0)
    __builtin_unreachable();
}
