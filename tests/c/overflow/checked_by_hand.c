// truth: safe
// property: overflow
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the guard excludes the overflow for every input
#include <limits.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < INT_MAX)
    x = x + 1;
  return 0;
}
