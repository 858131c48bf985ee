// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=safe
// why: a call under a condition
#include <assert.h>
static int x; static int f(void) { return ++x; }
int main(void) { int c = 1; int r = (c ? f() : 0) * 10 + f(); assert(r == 12 || r == 21); return 0; }
