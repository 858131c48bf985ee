// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a function that is nowhere defined may return anything
#include <assert.h>
extern int sensor(int channel);
int main(void) {
  int v = sensor(3);
  assert(v != 17); // FAILS
}
