// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the second free ends a life that is over
#include <stdlib.h>
int main(void) {
  int *p = malloc(4);
  free(p);
  free(p); // FAILS
}
