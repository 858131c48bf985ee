// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the second destructor runs first and sees what main did
#include <assert.h>
static int n;
__attribute__((destructor)) static void last(void) { assert(n == 3); }
__attribute__((destructor)) static void first(void) {
  assert(n == 1);  // FAILS
  n = 3;
}
int main(void) {
  n = 2;
  return 0;
}
