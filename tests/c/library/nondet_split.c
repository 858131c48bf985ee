// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: whatever the input, one of the branches is taken
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), y;
  if (x < 10)
    y = 1;
  else
    y = 2;
  assert((x < 10) == (y == 1));
}
