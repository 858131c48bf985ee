// truth: safe
// property: assert
// why: but one after the other
#include <assert.h>
int main(void) { int i = 0; int a[2] = {i++, i++}; assert(a[0] + a[1] == 1 && i == 2); return 0; }
