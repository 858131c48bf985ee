// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a cast to a union type picks the member by the operand's type
#include <assert.h>
union u { int i; char *p; };
static int get(union u u) { return u.i; }
int main(void) { assert(get((union u)5) == 5); }
