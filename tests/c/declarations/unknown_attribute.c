// truth: safe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: nobody knows what an unknown attribute makes of a variable
#include <assert.h>
__attribute__((frobnicate)) static int unused(void) { return 1; }
int x __attribute__((frobnicate));
int main(void) {
  assert(x == 0);
  return 0;
}
