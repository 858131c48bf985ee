// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the address is not the start of the object
#include <stdlib.h>
int main(void) {
  char *p = malloc(4);
  free(p + 1); // FAILS
}
