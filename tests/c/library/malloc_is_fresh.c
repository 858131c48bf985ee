// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=unknown(work)
// why: two allocations are different objects, neither of them null
#include <assert.h>
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p), *q = malloc(sizeof *q);
  *p = 1;
  *q = 2;
  assert(p && q && p != q && *p == 1);
  free(p);
  free(q);
}
