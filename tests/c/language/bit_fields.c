// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work) locks=safe
// why: bit-fields keep their width and sign, and do not touch their neighbours
#include <assert.h>
struct flags {
  unsigned a : 3;
  int b : 4;
  unsigned c : 1;
  unsigned : 0;
  unsigned long d : 40;
};
int main(void) {
  struct flags f = {0};
  f.a = 9;
  f.b = 7;
  f.b++;
  f.c = 1;
  f.d = ~0ul;
  assert(f.a == 1);
  assert(f.b == -8);
  assert(f.c == 1);
  assert(f.d == (1ul << 40) - 1);
  f.a += 7;
  assert(f.a == 0 && f.b == -8 && f.c == 1);
}
