// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: structs are assigned, passed and returned by value
#include <assert.h>
struct point { int x, y; };
static struct point mirrored(struct point p) {
  int t = p.x;
  p.x = p.y;
  p.y = t;
  return p;
}
int main(void) {
  struct point a = {1, 2}, b;
  b = mirrored(a);
  assert(a.x == 1 && a.y == 2);
  assert(b.x == 2 && b.y == 1);
  a = b;
  b.x = 9;
  assert(a.x == 2);
  assert(mirrored(a).x == 1);
}
