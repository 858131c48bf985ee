// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: cases fall through, ranges match, default is taken last wherever it stands
#include <assert.h>
static int f(int n) {
  int r = 0;
  switch (n) {
  default:
    r = 100;
    break;
  case 1:
    r += 1;
  case 2:
    r += 2;
    break;
  case 10 ... 19:
    r = 10;
    break;
  case -3: {
    r = -3;
    break;
  }
  }
  return r;
}
int main(void) {
  assert(f(1) == 3 && f(2) == 2 && f(0) == 100);
  assert(f(10) == 10 && f(15) == 10 && f(19) == 10 && f(20) == 100 && f(-3) == -3);
}
