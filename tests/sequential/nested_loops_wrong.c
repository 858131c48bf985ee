// truth: unsafe
// property: assert
// back end: unwind=4 wrong
// why: the inner loop stops early the third time
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) {
    int j = 0;
    while (j < i && j < 2)
      j++;
    assert(j == i); // FAILS
  }
  return 0;
}
