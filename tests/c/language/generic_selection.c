// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the arm is chosen by the type of the control, which is not evaluated
#include <assert.h>
#define KIND(x) _Generic((x), int: 1, unsigned: 2, char *: 3, double: 4, default: 9)
int main(void) {
  int i = 0;
  assert(KIND(i++) == 1 && i == 0);
  assert(KIND(1u) == 2 && KIND("a") == 3 && KIND(1.0) == 4 && KIND((short)1) == 9);
}
