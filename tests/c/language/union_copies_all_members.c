// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: the widest member has padding where another has a value
#include <assert.h>
union U { struct { char c; long l; } a; struct { int x, y, z; } b; };
int main(void) {
  union U u = {0}, v;
  u.a.c = 3; u.a.l = 0x1122334455667788;
  v = u;
  assert(v.a.l == 0x1122334455667788 && v.a.c == 3);
  return 0;
}
