// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the second call may come first
#include <assert.h>
static int x = 1;
static int f(void) { x *= 2; return x; } static int g(void) { x += 3; return x; }
int main(void) { int r = f() - g(); assert(r == 2 - 5); // FAILS
 return 0; }
