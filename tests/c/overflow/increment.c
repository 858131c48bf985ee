// truth: unsafe
// property: overflow
// engines: explore=unsafe
// why: ++ is an addition
#include <limits.h>
int x = INT_MAX;
int main(void) {
  x++; // FAILS
}
