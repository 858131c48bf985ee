// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: prefix yields the new value, postfix the old one
#include <assert.h>
int main(void) {
  int i = 5, a[3] = {10, 20, 30}, *p = a;
  int r = i++ + 1;
  assert(r == 6 && i == 6 && ++i == 7 && i-- == 7 && --i == 5);
  assert(*p++ == 10 && *++p == 30 && (*p)-- == 30 && a[2] == 29);
  unsigned char c = 255;
  assert(c++ == 255 && c == 0);
  _Bool b = 1;
  b++;
  assert(b == 1);
}
