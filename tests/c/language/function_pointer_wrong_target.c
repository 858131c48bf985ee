// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the pointer was redirected to the other function
#include <assert.h>
static int one(void) { return 1; }
static int two(void) { return 2; }
static int (*f)(void) = one;
int main(void) {
  f = two;
  assert(f() == 1); // FAILS
}
