// truth: safe
// property: assert
// back end: unwind=4 bounded; given
// why: the invariant speaks of variables in memory, and stands before a loop that declares its own
#include <assert.h>
unsigned long __VERIFIER_nondet_ulong(void);
unsigned long s, n;
int main(void) {
  n = __VERIFIER_nondet_ulong();
  if (n >= 1000)
    return 0;
  //@ loop invariant s == i * i && (i < n || i == n) && n < 1000;
  for (unsigned long i = 0; i < n; i++)
    s += i + i + 1;
  assert(s == n * n);
  return 0;
}
