// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work) locks=safe
// why: a run of more than 64 bits, copies, and conversions on assignment
#include <assert.h>
struct bits {
  unsigned long a : 60, b : 60;
  unsigned c : 20;
  int s : 4;
  _Bool f : 1;
};
int main(void) {
  struct bits x = {0}, y;
  x.a = 1ul << 59;
  x.b = 5;
  x.c = 0x1fffff;
  x.s = 7;
  x.s++;
  x.f = 2;
  y = x;
  y.b = 0;
  assert(x.a == 1ul << 59 && x.b == 5 && x.c == 0xfffff);
  assert(x.s == -8 && x.f == 1 && y.s == -8 && y.b == 0);
}
