// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: typeof takes the type of an expression without evaluating it
#include <assert.h>
int main(void) {
  int i = 1;
  __typeof__(i++) j = 2;
  typeof(&i) p = &j;
  typeof(int[2]) a = {1, 2};
  __auto_type k = 3ul;
  assert(i == 1 && *p == 2 && a[1] == 2 && sizeof k == 8);
}
