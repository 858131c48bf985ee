// truth: safe
// property: assert
// back end: unwind=2 bounded; invariants
// why: a loop that counts up to an input ends there
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  if (n < 0)
    return 0;
  while (i < n)
    i++;
  assert(i == n);
  return 0;
}
