// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: names may hold a dollar sign and letters beyond ASCII
#include <assert.h>
int a$b = 1;
int größe = 2;
int main(void) { assert(a$b + größe == 3); }
