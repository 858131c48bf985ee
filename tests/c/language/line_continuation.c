// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a backslash joins lines, also inside tokens; comments are blanks
#include <assert.h>
int ma\
in(void) {
  int/**/ab = 1;
  assert(a\
b == 1);
}
