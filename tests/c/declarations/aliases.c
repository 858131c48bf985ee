// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: an alias is the same function or variable, with the same address
#include <assert.h>
static int real(int x) { return x + 1; }
int fake(int) __attribute__((alias("real")));
int a = 4;
extern int b __attribute__((alias("a")));
int main(void) {
  b = 5;
  assert(fake(2) == 3 && fake == real && a == 5 && &a == &b);
  return 0;
}
