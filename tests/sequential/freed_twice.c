// truth: unsafe
// property: memory
// back end: unwind=2 wrong
// why: the loop may free the block again
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  char *p = malloc(4);
  do
    free(p); // FAILS
  while (__VERIFIER_nondet_int());
  return 0;
}
