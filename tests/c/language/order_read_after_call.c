// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the read may come before the call
#include <assert.h>
static int x = 1;
static int f(void) { x = 5; return 0; }
int main(void) { int r = x + f(); assert(r == 5); // FAILS
 return 0; }
