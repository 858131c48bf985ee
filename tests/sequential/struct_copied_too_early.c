// truth: unsafe
// property: assert
// back end: unwind=1 wrong
// why: the copy does not see the later write
#include <assert.h>

struct point {
  int x, y;
};
int main(void) {
  struct point a = {1, 2}, b = a;
  a.x = 5;
  assert(b.x == a.x); // FAILS
  return 0;
}
