// truth: unsafe
// property: assert
// back end: unwind=3 wrong
// why: entering in the middle makes a difference of one
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
  if (x < 1000 && __VERIFIER_nondet_int())
    goto first;
  assert(x == y); // FAILS
  return 0;
}
