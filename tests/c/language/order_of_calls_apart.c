// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: calls that touch different variables
#include <assert.h>
static int x = 1, y;
static int f(void) { x *= 2; return x; } static int g(void) { y += 3; return y; }
int main(void) { int r = f() - g(); assert(r == 2 - 3); int z = x; r = f() + z; assert(r == 6); return 0; }
