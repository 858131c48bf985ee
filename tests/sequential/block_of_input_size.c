// truth: safe
// property: memory
// back end: unwind=2 bounded; invariants
// why: the loop stays inside a block of unknown size
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0 || n > 1000)
    return 0;
  char *p = malloc(n);
  for (int i = 0; i < n; i++)
    p[i] = 1;
  return 0;
}
