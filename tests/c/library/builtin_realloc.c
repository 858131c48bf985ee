// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(work) cover=unknown(work)
// why: gcc's name of a library function means the same
#include <assert.h>
#include <stdlib.h>
int main(void) {
  int *p = malloc(8);
  p[0] = 5;
  p = __builtin_realloc(p, 16);
  assert(p[0] == 5 && __builtin_abs(-2) == 2 && __builtin_strlen("ab") == 2);
}
