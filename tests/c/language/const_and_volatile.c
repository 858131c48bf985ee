// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: qualifiers do not change values
#include <assert.h>
const int c = 3;
volatile int v = 4;
int main(void) {
  const volatile int *p = &c;
  int *restrict q = (int *)&v;
  *q += *p;
  assert(v == 7);
}
