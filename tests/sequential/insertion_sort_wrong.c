// truth: unsafe
// property: assert
// back end: unwind=4 wrong
// why: the inner loop does not look at the first number
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int a[3];
  for (int i = 0; i < 3; i++)
    a[i] = __VERIFIER_nondet_int();
  for (int i = 1; i < 3; i++) {
    int x = a[i], j = i;
    while (j > 1 && a[j - 1] > x) {
      a[j] = a[j - 1];
      j--;
    }
    a[j] = x;
  }
  assert(a[0] <= a[1]); // FAILS
  return 0;
}
