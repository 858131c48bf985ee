// truth: unsafe
// property: assert
// engines: explore=unsafe
// why: fresh memory may hold anything
#include <assert.h>
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p);
  assert(*p == 0); // FAILS
}
