// truth: safe
// property: assert
// engines: explore=unknown(nested calls) contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: the recursion never ends, so the assertion is never reached
#include <assert.h>
static int f(int n) { return n == -1 ? 0 : f(n) + 1; }
int main(void) {
  f(3);
  assert(0);
}
