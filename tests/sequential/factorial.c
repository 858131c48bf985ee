// truth: safe
// property: assert
// back end: unwind=4 cut
// why: the back end alone knows no recursion and must not claim anything
#include <assert.h>

int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
int main(void) {
  assert(factorial(5) == 120);
  return 0;
}
