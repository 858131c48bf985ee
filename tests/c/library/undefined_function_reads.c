// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: what is const is not written
#include <assert.h>
extern int outside(const int *, const char *);
int main(void) {
  int x = 1;
  outside(&x, "text");
  assert(x == 1);
}
