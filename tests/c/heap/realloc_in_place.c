// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unsafe
// why: what shrinks may stay where it is
#include <assert.h>
#include <stdlib.h>
int main(void) {
  int *p = malloc(8 * sizeof *p);
  int *q = realloc(p, 2 * sizeof *p);
  assert(q != p);  // FAILS
  return 0;
}
