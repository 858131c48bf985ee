// truth: safe
// property: memory
// back end: unwind=2 bounded; invariants
// why: each block is freed once before the next is made
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  while (__VERIFIER_nondet_int()) {
    int *p = malloc(sizeof *p);
    *p = 1;
    free(p);
  }
  return 0;
}
