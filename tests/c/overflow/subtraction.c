// truth: unsafe
// property: overflow
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: below the least int
#include <limits.h>
int main(void) {
  int x = INT_MIN;
  int y = x - 1; // FAILS
  return y;
}
