// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a copied pointer points to the same object
#include <assert.h>
#include <string.h>
struct s { int *p; int n; };
int main(void) {
  int v = 4;
  struct s x = {&v, 1}, y;
  memcpy(&y, &x, sizeof x);
  *y.p = 5;
  assert(v == 5 && y.n == 1);
}
