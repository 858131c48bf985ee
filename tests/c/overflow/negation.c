// truth: unsafe
// property: overflow
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the least int has no counterpart
#include <limits.h>
int main(void) {
  int x = INT_MIN;
  return -x; // FAILS
}
