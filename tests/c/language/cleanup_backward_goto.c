// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a jump back over the declaration leaves the variable's scope
#include <assert.h>
static int n;
static void put(int *p) { n += *p; }
int main(void) {
  int k = 0;
again:;
  { }
  __attribute__((cleanup(put))) int b = 5;
  if (k++ < 2) goto again;
  assert(n == 10);
  return 0;
}
