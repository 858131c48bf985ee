// truth: safe
// property: assert
// back end: unwind=3 correct
// why: four numbers are in order afterwards
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int a[4];
  for (int i = 0; i < 4; i++)
    a[i] = __VERIFIER_nondet_int();
  for (int n = 3; n > 0; n--)
    for (int i = 0; i < n; i++)
      if (a[i] > a[i + 1]) {
        int t = a[i];
        a[i] = a[i + 1];
        a[i + 1] = t;
      }
  assert(a[0] <= a[1] && a[1] <= a[2] && a[2] <= a[3]);
  return 0;
}
