// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: the sign tells which byte is larger, unsigned
#include <assert.h>
#include <string.h>
int main(void) {
  assert(memcmp("abc", "abd", 2) == 0 && memcmp("abc", "abd", 3) < 0);
  char a[] = {(char)200}, b[] = {100};
  assert(memcmp(a, b, 1) > 0);
}
