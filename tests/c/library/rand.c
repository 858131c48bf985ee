// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a random number may be zero
#include <assert.h>
#include <stdlib.h>
int main(void) {
  srand(1);
  int r = rand();
  assert(r >= 0);
  assert(r != 0); // FAILS
}
