// truth: safe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: long double has its size and is copied, but is not computed with
#include <assert.h>
struct s { long double wide; int count; };
int main(void) {
  struct s a, b;
  a.count = 3;
  b = a;
  assert(b.count == 3 && sizeof(struct s) == 32);
  a.wide = 1;
  assert(a.wide + 1 == 2);
}
