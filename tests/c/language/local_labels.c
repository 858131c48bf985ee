// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a label declared in a block belongs to that block
#include <assert.h>
#define SKIP(x) ({ __label__ out; int r = 0; if (x) goto out; r = 1; out: r; })
int main(void) { assert(SKIP(0) == 1 && SKIP(1) == 0); }
