// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: the members of a union share their bytes, little end first
#include <assert.h>
union u { unsigned i; unsigned char c[4]; unsigned short s[2]; };
int main(void) {
  union u u;
  u.i = 0x01020304u;
  assert(u.c[0] == 4 && u.c[3] == 1);
  assert(u.s[1] == 0x0102);
  u.c[1] = 0xff;
  assert(u.i == 0x0102ff04u);
}
