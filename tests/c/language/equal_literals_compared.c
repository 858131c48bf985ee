// truth: unsafe
// property: assert
// engines: explore=unknown(literals) contexts=unknown(literals) tar=unknown(literals) horn=unknown(literals) cover=unknown(literals)
// why: equal literals may be one object, or not
#include <assert.h>
int main(void) {
  const char *a = "hello", *b = "hello";
  assert(a == b); // FAILS
}
