// truth: unsafe
// property: overflow
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the largest int has no successor
#include <limits.h>
int main(void) {
  int x = INT_MAX;
  x = x + 1; // FAILS
  return x;
}
