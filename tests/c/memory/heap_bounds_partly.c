// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the last bytes of the integer lie outside
#include <stdlib.h>
int main(void) {
  char *p = malloc(6);
  *(int *)(p + 4) = 0; // FAILS
}
