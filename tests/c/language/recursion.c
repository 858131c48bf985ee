// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: each call has its own locals
#include <assert.h>
static int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int main(void) { assert(fact(5) == 120 && even(6) && !even(3)); }
