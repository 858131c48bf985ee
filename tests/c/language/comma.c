// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=unknown(work)
// why: the comma operator evaluates left, then right, and yields the right value
#include <assert.h>
int main(void) {
  int a = 1, b;
  b = (a++, a * 10);
  assert(b == 20);
  for (int i = 0, j = 3; i < j; i++, j--)
    b++;
  assert(b == 22);
}
