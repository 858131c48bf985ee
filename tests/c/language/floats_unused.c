// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: floating-point variables that nothing depends on may stand in a program
#include <assert.h>
struct s { double weight; int count; };
static double half(double x) { return x / 2; }
int main(void) {
  struct s s;
  s.count = 2;
  assert(s.count == 2 && sizeof(struct s) == 16);
}
