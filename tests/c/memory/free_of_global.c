// truth: unsafe
// property: memory
// engines: explore=unsafe
// why: the address was not given by malloc
#include <stdlib.h>
int x;
int main(void) {
  free(&x); // FAILS
}
