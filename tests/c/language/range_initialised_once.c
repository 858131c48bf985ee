// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=safe
// why: the initialiser of a range is evaluated once
#include <assert.h>
struct P { int x, y; };
int n;
static int f(void) { return n++; }
static struct P g(void) { n += 10; return (struct P){n, 1}; }
int main(void) {
  struct P a[4] = {[0 ... 1] = {f(), f()}, [2 ... 3] = g()};
  assert(n == 12);
  assert(a[0].x == a[1].x && a[0].y == a[1].y && a[2].x == a[3].x && a[2].y == 1);
  struct { int v[3]; int w; } b = {.v = {[0 ... 2] = f()}, .w = 5};
  assert(n == 13 && b.v[2] == 12 && b.w == 5);
  return 0;
}
