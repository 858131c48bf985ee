// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=safe
// why: only these two orders
#include <assert.h>
static int x = 1;
static int f(void) { x *= 2; return x; } static int g(void) { x += 3; return x; }
int main(void) { int r = f() * 100 + g(); assert(r == 205 || r == 804); return 0; }
