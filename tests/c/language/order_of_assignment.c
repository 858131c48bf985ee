// truth: unsafe
// property: assert
// why: the index may be evaluated after the value
#include <assert.h>
static int n, a[3];
static int i(void) { return n; } static int j(void) { n = 2; return 7; }
int main(void) { a[i()] = j(); assert(a[0] == 7); // FAILS
 return 0; }
