// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: two indirections reach the variable
#include <assert.h>
static void redirect(int **p, int *to) { *p = to; }
int main(void) {
  int a = 1, b = 2, *p = &a;
  redirect(&p, &b);
  *p = 5;
  assert(a == 1 && b == 5);
}
