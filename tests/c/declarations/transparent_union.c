// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a parameter of a transparent union takes what its members take, and null
#include <assert.h>
typedef union { int *i; float *f; } number __attribute__((transparent_union));
static int value(number n) { return n.i ? *n.i : -1; }
int main(void) {
  int x = 3;
  number n = {&x};
  assert(value(&x) == 3 && value(n) == 3 && value(0) == -1 && value((void *)0) == -1);
  return 0;
}
