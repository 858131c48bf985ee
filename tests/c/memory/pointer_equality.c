// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: pointers into different objects may be tested for equality
#include <assert.h>
int a[2], b[2];
int main(void) {
  int *p = a, *q = b;
  assert(p != q && p == &a[0]);
}
