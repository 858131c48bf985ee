// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the block holds two integers
#include <stdlib.h>
int main(void) {
  int *p = malloc(2 * sizeof(int));
  p[2] = 0; // FAILS
}
