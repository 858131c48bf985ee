// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: static assertions hold wherever a declaration may stand
#include <assert.h>
_Static_assert(sizeof(int) == 4, "int");
struct s { int a; _Static_assert(1, "inside"); };
int main(void) {
  _Static_assert(sizeof(struct s) == 4);
  static_assert('a' == 97, "ascii");
  return 0;
}
