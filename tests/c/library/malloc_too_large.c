// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: no object is that large, so the allocation fails
#include <stdlib.h>
int main(void) {
  int n = -1;
  char *p = malloc(n), *q = calloc((size_t)-1, 4);
  if (p)
    p[0] = 0;
  if (q)
    q[7] = 0;
  free(p);
}
