// truth: safe
// property: assert
// back end: unwind=4 bounded; rejected
// why: the invariant does not hold after the first pass, so nothing is concluded from it
#include <assert.h>
unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
  unsigned long n = __VERIFIER_nondet_ulong();
  unsigned long i = 0, s = 0;
  if (n >= 1000)
    return 0;
  /*@ loop invariant s == i * i + i && i <= n; */ // NOT USED
  do {
    s += i + i + 1;
    i++;
  } while (i < n);
  assert(n == 0 || s == n * n);
  return 0;
}
