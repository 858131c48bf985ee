// truth: unsafe
// property: assert
// engines: explore=unknown(literals) contexts=unknown(literals) tar=unknown(literals) horn=unknown(literals) cover=unknown(literals)
// why: a literal may lie in the end of another
#include <assert.h>
int main(void) {
  const char *a = "to go", *b = "go";
  assert(a + 3 != b); // FAILS
}
