// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: the copy is an object of its own
#include <assert.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *s = strdup("ab");
  s[0] = 'x';
  assert(s[1] == 'b' && s[2] == 0);
  free(s);
}
