// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: initialisers without inner braces fill the members in order
#include <assert.h>
struct line { struct { int x, y; } from, to; } l = {1, 2, 3, 4};
int m[2][2] = {1, 2, 3};
int main(void) {
  assert(l.from.y == 2 && l.to.x == 3);
  assert(m[1][0] == 3 && m[1][1] == 0);
}
