// truth: safe
// property: assert
// back end: unwind=2 bounded; invariants
// why: a loop entered in the middle keeps its invariant
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int x = 0, y = 0;
  if (__VERIFIER_nondet_int())
    goto second;
first:
  x++;
second:
  y++;
  if (x < 1000 && y < 1000 && __VERIFIER_nondet_int())
    goto first;
  assert(y >= x);
  return 0;
}
