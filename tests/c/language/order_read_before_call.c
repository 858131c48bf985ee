// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the call may come before the read
#include <assert.h>
static int x = 1;
static int f(void) { x = 5; return 0; }
int main(void) { int r = x + f(); assert(r == 1); // FAILS
 return 0; }
