// truth: unsafe
// property: overflow
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the least int divided by minus one
#include <limits.h>
int main(void) {
  int x = INT_MIN, y = -1;
  return x / y; // FAILS
}
