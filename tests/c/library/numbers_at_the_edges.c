// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: prefixes, bases, what is left over, and numbers that are too large
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
int main(void) {
  char *end;
  const char *word = "xyz";
  assert(strtol("  -42abc", &end, 10) == -42 && *end == 'a');
  assert(strtol("0x1f", 0, 0) == 31 && strtol("017", 0, 0) == 15);
  assert(strtol("zz", 0, 36) == 35 * 36 + 35);
  errno = 0;
  assert(strtol("99999999999999999999", 0, 10) == LONG_MAX && errno == ERANGE);
  assert(strtol(word, &end, 10) == 0 && end == word);
  assert(strtoul("-1", 0, 10) == ULONG_MAX);
}
