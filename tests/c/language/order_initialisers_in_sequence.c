// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: but one after the other
#include <assert.h>
int main(void) { int i = 0; int a[2] = {i++, i++}; assert(a[0] + a[1] == 1 && i == 2); return 0; }
