// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: calloc gives zeroes
#include <assert.h>
#include <stdlib.h>
int main(void) {
  long *p = calloc(3, sizeof *p);
  assert(p[0] == 0 && p[2] == 0);
  p[1] = 5;
  assert(p[1] == 5);
  free(p);
}
