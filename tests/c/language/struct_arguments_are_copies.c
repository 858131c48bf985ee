// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: an argument is a copy, however it is written
#include <assert.h>
struct S { int a, b; };
static int g(struct S p) { p.a = 99; return p.b; }
int main(void) {
  struct S s = {1, 2}, t = {3, 4};
  assert(g(s = t) == 4); assert(s.a == 3);
  assert(g((s, t)) == 4); assert(t.a == 3);
  assert(g(({ t; })) == 4); assert(t.a == 3);
  struct S *p = &t;
  assert(g(*p) == 4 && g(p[0]) == 4); assert(t.a == 3);
  return 0;
}
