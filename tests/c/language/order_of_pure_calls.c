// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: calls that change nothing
#include <assert.h>
#include <stdlib.h>
static int g = 3; static int sq(int a) { int t = a * a; return t; } static int get(void) { return g; }
int main(void) { int r = sq(2) + sq(3) * get() + abs(-g) + g; assert(r == 4 + 27 + 6); return 0; }
