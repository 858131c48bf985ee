// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a constant that is defined nowhere holds any value, and giving it one is no write of the program's
#include <assert.h>
struct limits { int low; int *high; };
extern const struct limits limits;
extern const int size;
int main(void) {
  int low = limits.low, known = size;
  assert(limits.low == low && size == known);
}
