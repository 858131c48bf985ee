// truth: unsafe
// property: memory
// back end: unwind=2 wrong
// why: the loop goes one byte too far
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0 || n > 1000)
    return 0;
  char *p = malloc(n);
  for (int i = 0; i <= n; i++)
    p[i] = 1; // FAILS
  return 0;
}
