// truth: unsafe
// property: overflow
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: ++ is an addition
#include <limits.h>
int x = INT_MAX;
int main(void) {
  x++; // FAILS
}
