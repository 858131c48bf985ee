// truth: safe
// property: assert,overflow
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: promotions, conversions and shifts as x86-64 has them
#include <assert.h>
#include <stdint.h>
int main(void) {
  uint8_t byte = 255;
  uint16_t a = 65535, b = 65535;
  byte++;
  assert(byte == 0);
  assert((int8_t)200 == -56 && (char)0x80 < 0);
  assert((unsigned)a * b == 4294836225u);
  assert(-1 > 0u && (1 ? -1 : 0u) > 0);
  assert(-7 / 2 == -3 && -7 % 2 == -1 && -1 >> 1 == -1);
  assert((int64_t)(uint32_t)-1 == 4294967295LL);
}
