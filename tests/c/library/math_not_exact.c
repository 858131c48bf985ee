// truth: safe
// property: assert
// why: a sine is not modelled, and its result is not taken to be any number
#include <assert.h>
#include <math.h>
int main(void) {
  volatile double x = 1;
  assert(sin(x) < 2);
}
