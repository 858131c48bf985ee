// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: definitions with a list of names, and implicit int
#include <assert.h>
int add(a, b)
  int a, b;
{
  return a + b;
}
static n = 3;
main() { assert(add(1, 2) == n); return 0; }
