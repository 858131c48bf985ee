// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: in mixed comparisons the signed operand becomes unsigned; small types are promoted to int
#include <assert.h>
int main(void) {
  unsigned u = 1;
  int i = -1;
  assert(i > u);
  unsigned char c = 255;
  assert(c + 1 == 256);
  signed char s = -1;
  assert((unsigned char)s == 255);
  assert((s >> 1) == -1);
  assert(-1 < 1L && (unsigned)-1 < 1L + 4294967295L);
  assert(sizeof(c + c) == sizeof(int));
  assert(~c == -256);
}
