// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: only places of one literal are compared, or of literals that differ
#include <assert.h>
#include <string.h>
static int length(const char *text) {
  const char *end = text + strlen(text);
  int n = 0;
  for (; text != end; text++)
    n++;
  return n;
}
int main(void) {
  const char *a = "hello", *b = "world";
  assert(a != b);
  assert(length("hello") == 5);
}
