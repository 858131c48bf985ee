// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a struct may be read after another argument's call
#include <assert.h>
struct S { int a; } s = {1};
static int set(void) { s.a = 9; return 0; }
static int f(struct S p, int k) { return p.a + k; }
int main(void) { assert(f(s, set()) == 9); // FAILS
 return 0; }
