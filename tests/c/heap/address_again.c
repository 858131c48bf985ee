// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the new object may have the address of the one that was freed
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
int *current;
int main(void) {
  int *seen = current = malloc(sizeof *current);
  *current = 1;
  free(current);
  current = malloc(sizeof *current);
  *current = 2;
  if (current == seen)
    assert(*seen == 1);  // FAILS
  return 0;
}
