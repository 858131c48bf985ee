// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a failed exchange writes what it saw into the expected value
#include <assert.h>
#include <stdatomic.h>
int main(void) {
  atomic_int x = 4;
  int expected = 3;
  assert(!atomic_compare_exchange_strong(&x, &expected, 9));
  assert(expected == 4 && x == 4);
  assert(atomic_compare_exchange_strong(&x, &expected, 9));
  assert(x == 9 && expected == 4);
}
