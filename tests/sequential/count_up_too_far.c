// truth: unsafe
// property: assert
// back end: unwind=8 wrong
// why: the input may be as large as five
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  while (i < n)
    i++;
  assert(i < 5); // FAILS
  return 0;
}
