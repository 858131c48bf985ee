// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: classes of characters, by glibc's macros and functions
#include <assert.h>
#include <ctype.h>
int main(void) {
  assert(isdigit('5') && !isdigit('x') && isalpha('x') && isspace('\n'));
  assert((isupper)('Q') && !(isupper)('q') && (isxdigit)('f') && (ispunct)('!'));
  assert(tolower('A') == 'a' && toupper('z') == 'Z' && tolower('1') == '1');
  assert(!isalnum(-1));
}
