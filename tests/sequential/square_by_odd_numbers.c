// truth: safe
// property: assert
// back end: unwind=4 bounded; given
// why: the sum of the first odd numbers is a square, which only the invariant says
#include <assert.h>
unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
  unsigned long n = __VERIFIER_nondet_ulong();
  unsigned long i = 0, s = 0;
  if (n >= 1000)
    return 0;
  /*@ loop invariant s == i * i && i <= n;
      loop invariant n < 1000; */
  while (i < n) {
    s += i + i + 1;
    i++;
  }
  assert(s == n * n);
  return 0;
}
