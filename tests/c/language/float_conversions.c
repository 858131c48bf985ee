// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: conversions to and from every type, in assignments, operators, calls and initialisers
#include <assert.h>
#include <string.h>
struct sample { float weight; double value; int count; };
static struct sample table[2] = {{1, 2, 3.9}, {0.5, 'a', -3.9}};
static double half(double x) { return x / 2; }
static float sum(float a, float b) { return a + b; }
union word { float number; unsigned bits; };
int main(void) {
  assert(table[0].weight == 1.0f && table[0].count == 3);
  assert(table[1].value == 97 && table[1].count == -3);
  struct sample copy = table[1];
  assert(copy.weight == 0.5);
  assert(half(5) == 2.5 && sum(1, 2.5) == 3.5f);
  int n = 10;
  n *= 1.5;
  n += 0.9;
  assert(n == 15);
  double d = n;
  assert(d++ == 15 && --d == 15 && -d == -15.0);
  union word w = {1.0f};
  assert(w.bits == 0x3f800000);
  unsigned long bits;
  memcpy(&bits, &d, sizeof bits);
  assert(bits == 0x402e000000000000);
  assert((unsigned char)255.9 == 255 && (signed char)-128.9 == -128 && (int)-2.9 == -2);
  assert((unsigned long)1.8446744073709550e19 == 18446744073709549568ul);
  _Bool some = 0.1;
  assert(some && (d ? 1 : 0) && !(d && 0.0));
  assert(sizeof(1.0f * 1) == 4 && sizeof(1.0f * 1.0) == 8 && sizeof(1.0L) == 16);
}
