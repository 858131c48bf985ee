// truth: unsafe
// property: overflow
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the absolute value of INT_MIN is no int
#include <limits.h>
#include <stdlib.h>
int main(void) {
  int least = INT_MIN;
  return abs(least) > 0; // FAILS
}
