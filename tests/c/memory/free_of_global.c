// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the address was not given by malloc
#include <stdlib.h>
int x;
int main(void) {
  free(&x); // FAILS
}
