// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unsafe
// why: initialisers are evaluated in any order
#include <assert.h>
static int n; static int f(void) { return n++; }
int main(void) { int a[2] = {f(), f()}; assert(a[0] == 0); // FAILS
 return 0; }
