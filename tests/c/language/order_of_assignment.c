// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the index may be evaluated after the value
#include <assert.h>
static int n, a[3];
static int i(void) { return n; } static int j(void) { n = 2; return 7; }
int main(void) { a[i()] = j(); assert(a[0] == 7); // FAILS
 return 0; }
