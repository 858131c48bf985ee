// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the value of a conditional, an assignment and a comma
#include <assert.h>
struct S { int a[2]; } s = {{1, 2}}, t = {{3, 4}}, u;
int main(void) {
  int c = 1;
  (c ? s : t).a[0] + 0;
  assert((c ? s : t).a[0] == 1);
  assert((u = t).a[1] == 4 && (0, s).a[1] == 2);
  return 0;
}
