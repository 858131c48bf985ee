// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=unknown(work)
// why: a statement expression has the value of its last expression
#include <assert.h>
#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
int main(void) {
  int i = 3;
  assert(MAX(i++, 2) == 3 && i == 4);
  int y = ({ int s = 0; for (int k = 0; k < 3; k++) s += k; s; });
  assert(y == 3);
  ({ if (y) i = 0; });
  assert(i == 0);
}
