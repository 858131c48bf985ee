// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a weak function or variable that is defined nowhere has a null address
#include <assert.h>
extern int function(void) __attribute__((weak));
extern int variable __attribute__((weak));
extern int other(void);
#pragma weak other
int main(void) {
  int n = 0;
  if (function)
    n = function();
  assert(n == 0 && &variable == 0 && !other);
  return 0;
}
