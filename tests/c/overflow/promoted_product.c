// truth: unsafe
// property: overflow
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the operands are promoted to int, which does not hold the product
#include <stdint.h>
int main(void) {
  uint16_t a = 65535, b = 65535;
  return a * b != 0; // FAILS
}
