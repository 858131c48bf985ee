// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the checked operations store the wrapped result and say whether it is exact
#include <assert.h>
#include <limits.h>
int main(void) {
  int r;
  assert(__builtin_add_overflow(INT_MAX, 1, &r) && r == INT_MIN);
  assert(!__builtin_mul_overflow(3, 4, &r) && r == 12);
  unsigned u;
  assert(__builtin_sub_overflow(1u, 2u, &u) && u == UINT_MAX);
}
