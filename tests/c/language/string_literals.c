// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: adjacent literals join, escapes decode, arrays take the terminating zero
#include <assert.h>
int main(void) {
  char s[] = "a\x41" "\101\n";
  assert(sizeof s == 5 && s[1] == 'A' && s[2] == 'A' && s[3] == 10 && s[4] == 0);
  char t[2] = "xy";
  assert(t[1] == 'y');
  assert("hello"[4] == 'o');
  assert(sizeof "abc" == 4);
  assert('\0' == 0 && 'ab' == ('a' << 8 | 'b') && '\'' == 39);
}
