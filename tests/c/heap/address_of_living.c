// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: what is still alive has its address for itself
#include <assert.h>
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p), *q = malloc(sizeof *q);
  assert(p != q);
  free(q);
  q = malloc(sizeof *q);
  assert(p != q);
  return 0;
}
