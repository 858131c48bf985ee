// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(refinement) horn=unknown(refinement) cover=unknown(refinement)
// why: what is in memory that nobody has written does not change
#include <assert.h>
#include <stdlib.h>
struct S { int a, b; };
static void look(int *p) { assert(*p == *p); }
int main(void) {
  int x;
  look(&x);
  int *h = malloc(sizeof *h);
  int first = *h;
  assert(first == *h);
  struct S s, t;
  s.a = 1;
  t = s;
  assert(t.b == s.b);
  free(h);
  return 0;
}
