// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a declaration inside a function names the file's variable
#include <assert.h>
int main(void) {
  extern int later;
  assert(later == 6);
}
int later = 6;
