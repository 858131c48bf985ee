// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: freeing null does nothing
#include <stdlib.h>
int main(void) {
  free(0);
  int *p = malloc(4);
  free(p);
}
