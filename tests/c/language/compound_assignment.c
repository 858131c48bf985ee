// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=safe
// why: the left operand is evaluated once, and the result is converted back
#include <assert.h>
static int calls;
static int a[3] = {1, 2, 3};
static int *at(int i) { calls++; return &a[i]; }
int main(void) {
  *at(1) += 5;
  assert(a[1] == 7 && calls == 1);
  unsigned char c = 250;
  c += 10;
  assert(c == 4);
  int x = 7;
  x <<= 2, x |= 1, x ^= 3, x %= 16, x /= 2, x -= 1, x *= 3, x >>= 1, x &= 0xf;
  assert(x == 9);
  int *p = a;
  p += 2;
  assert(*p == 3);
  c = 100;
  c *= 3;
  assert(c == 44);
}
