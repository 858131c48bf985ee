// truth: safe
// property: assert
// back end: unwind=2 bounded; invariants
// why: the inner loop ends where the outer one stands
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) {
    int j = 0;
    while (j < i)
      j++;
    assert(j == i);
  }
  return 0;
}
