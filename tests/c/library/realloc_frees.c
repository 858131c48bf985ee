// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: the old block is gone
#include <stdlib.h>
int main(void) {
  char *p = malloc(2), *q = p;
  *p = 1;
  p = realloc(p, 4);
  return *q; // FAILS
}
