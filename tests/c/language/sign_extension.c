// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a negative char extends its sign when it becomes an unsigned int
#include <assert.h>
int main(void) {
  signed char c = -2;
  unsigned x = c;
  assert(x == 254); // FAILS
}
