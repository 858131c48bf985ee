// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the exact result is compared with the range of the last type, whatever the others are
#include <assert.h>
#include <limits.h>
int main(void) {
  int i;
  long l;
  unsigned long u;
  unsigned char c;
  assert(__builtin_add_overflow(-1, 0ul, &u));
  assert(!__builtin_add_overflow(-1, 1ul, &u) && u == 0);
  assert(__builtin_sub_overflow(0u, 1ul, &u) && u == ULONG_MAX);
  assert(!__builtin_sub_overflow(1ul, 2, &i) && i == -1);
  assert(__builtin_mul_overflow(1ul << 63, 2, &l) && l == 0);
  assert(!__builtin_mul_overflow(-1L, 1ul << 63, &l) && l == LONG_MIN);
  assert(!__builtin_mul_overflow(ULONG_MAX, 0, &i) && i == 0);
  assert(__builtin_add_overflow(ULONG_MAX, 257u, &c) && c == 0);
}
