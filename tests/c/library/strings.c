// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the string functions on small strings
#include <assert.h>
#include <string.h>
int main(void) {
  char b[8];
  assert(strlen("hello") == 5 && strlen("") == 0);
  strcpy(b, "abc");
  assert(strcmp(b, "abc") == 0 && strcmp(b, "abd") < 0 && strcmp("b", b) > 0);
  strcat(b, "de");
  assert(b[4] == 'e' && b[5] == 0);
  assert(strncmp(b, "abx", 2) == 0);
  strncpy(b, "z", 3);
  assert(b[0] == 'z' && b[1] == 0 && b[2] == 0 && b[3] == 'd');
  const char *s = "a.b.c";
  assert(strchr(s, '.') == s + 1 && strrchr(s, '.') == s + 3 && strchr(s, 'x') == 0);
  assert(strstr(s, "b.") == s + 2);
}
