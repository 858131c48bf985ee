// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unknown(unsupported) horn=unknown(work) cover=unknown(work)
// why: the old address must not be freed again
#include <stdlib.h>
int main(void) {
  int *old = malloc(sizeof *old);
  int *grown = realloc(old, 2 * sizeof *old);
  grown[1] = 1;
  free(old); // FAILS
}
