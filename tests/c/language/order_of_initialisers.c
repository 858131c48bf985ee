// truth: unsafe
// property: assert
// why: initialisers are evaluated in any order
#include <assert.h>
static int n; static int f(void) { return n++; }
int main(void) { int a[2] = {f(), f()}; assert(a[0] == 0); // FAILS
 return 0; }
