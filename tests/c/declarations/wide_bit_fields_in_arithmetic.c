// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=safe locks=safe
// why: a bit-field wider than int keeps its width in arithmetic; a narrower one is an int
#include <assert.h>
struct {
  unsigned long wide : 40;
  unsigned narrow : 5;
  unsigned long as_int : 20;
  unsigned long as_unsigned : 32;
} s = {0xffffffffffUL, 31, 0, 0};
int main(void) {
  assert((s.wide << 8) == 0xffffffff00UL);
  assert(s.wide + 1 == 0);
  assert(s.wide + 1L == 0x10000000000);
  assert((s.narrow = 31) - 32 < 0);
  assert(s.as_int - 1 < 0);
  assert(s.as_unsigned - 1 == 0xffffffffU);
  return 0;
}
