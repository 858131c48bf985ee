// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a typedef name can be shadowed, and can name functions and arrays
#include <assert.h>
typedef int number;
typedef number pair[2];
typedef number unary(number);
static unary twice;
static number twice(number n) { return 2 * n; }
int main(void) {
  pair p = {1, 2};
  assert(sizeof p == 8 && twice(p[1]) == 4);
  {
    number number = 3;
    assert(number == 3);
  }
  number again = 5;
  assert(again == 5);
}
