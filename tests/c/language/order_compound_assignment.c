// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the read of a compound assignment comes after the call
#include <assert.h>
static int x = 1;
static int f(void) { x = 10; return 1; }
int main(void) { x += f(); assert(x == 11); return 0; }
