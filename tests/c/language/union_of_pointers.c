// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a pointer read through another pointer member is the same pointer
#include <assert.h>
union u { int *i; void *v; };
int main(void) {
  int x = 3;
  union u u;
  u.v = &x;
  *u.i = 4;
  assert(x == 4);
}
