// truth: unsafe
// property: assert
// back end: unwind=4 cut
// why: the deepest call sees the error, which the back end alone cannot
#include <assert.h>

void down(int n) {
  assert(n != 3); // FAILS
  if (n > 0)
    down(n - 1);
}
int main(void) {
  down(10);
  return 0;
}
