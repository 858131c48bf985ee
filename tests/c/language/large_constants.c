// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a constant takes the first type that holds it
#include <assert.h>
int main(void) {
  assert(sizeof(2147483647) == 4 && sizeof(2147483648) == 8 && sizeof(0x80000000) == 4);
  assert(0xffffffff > 0 && sizeof(1ull) == 8 && 0b101 == 5 && 010 == 8);
  assert(-2147483648 < 0);
}
