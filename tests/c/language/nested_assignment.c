// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: an assignment has the value that was stored, converted
#include <assert.h>
int main(void) {
  int a;
  unsigned char c;
  a = c = 300;
  assert(a == 44 && c == 44);
  int x, y;
  if ((x = y = 3) != 3)
    assert(0);
  assert(x == y);
}
