// truth: safe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: a sine is not modelled, and its result is not taken to be any number
#include <assert.h>
#include <math.h>
int main(void) {
  volatile double x = 1;
  assert(sin(x) < 2);
}
