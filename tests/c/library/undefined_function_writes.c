// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a function that is nowhere defined may write what its argument points to
#include <assert.h>
struct point { int x, y[2]; };
extern void outside(struct point *);
int main(void) {
  struct point p = {0, {0, 0}};
  outside(&p);
  assert(p.y[1] == 0); // FAILS
}
