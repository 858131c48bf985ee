// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// with: parts/constructor.c
// why: constructors run in the order of the files
#include <assert.h>
int n;
__attribute__((constructor)) static void start(void) { assert(n == 0); n = 1; }
int main(void) {
  assert(n == 2);
  return 0;
}
