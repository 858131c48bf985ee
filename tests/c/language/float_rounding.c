// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(refinement) cover=unknown(work)
// why: each operation rounds once, to its own type
#include <assert.h>
int main(void) {
  long big = (1L << 60) + (1L << 36) + 1;
  float once = big;
  assert((long)once == (1L << 60) + (1L << 37));
  assert((float)(double)big != once);
  float a = 0.1f, b = 0.2f;
  assert(a + b == 0.3f);
  assert((double)a + b != 0.3);
  double c = 0.1, sum = 0;
  for (int i = 0; i < 10; i++)
    sum += c;
  assert(sum != 1.0 && sum > 0.9999999999999998 && sum < 1.0);
  float f = 16777216;
  f += 1;
  assert(f == 16777216);
  assert(0x1.000001p0f == 1.0f && 0x1.0000018p0f > 1.0f);
}
