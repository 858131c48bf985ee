// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the strings differ in their last letter
#include <assert.h>
#include <string.h>
int main(void) {
  assert(strcmp("abc", "abd") == 0); // FAILS
}
