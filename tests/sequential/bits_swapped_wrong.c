// truth: unsafe
// property: assert
// back end: unwind=1 wrong
// why: exclusive or of a variable with itself is zero
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

unsigned a[2];
void swap(unsigned *x, unsigned *y) {
  *x ^= *y;
  *y ^= *x;
  *x ^= *y;
}
int main(void) {
  unsigned i = __VERIFIER_nondet_uint() % 2, j = __VERIFIER_nondet_uint() % 2;
  a[0] = 5;
  a[1] = 5;
  swap(&a[i], &a[j]);
  assert(a[0] == 5); // FAILS
  return 0;
}
