// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: constructors with priorities run first, the others in the order of the source
#include <assert.h>
static int n;
__attribute__((constructor)) static void third(void) { assert(n == 2); n = 3; }
__attribute__((constructor(102))) static void second(void) { assert(n == 1); n = 2; }
static void first(void) __attribute__((constructor(101)));
static void first(void) { assert(n == 0); n = 1; }
__attribute__((constructor)) static void fourth(void) { assert(n == 3); n = 4; }
int main(void) {
  assert(n == 4);
  return 0;
}
