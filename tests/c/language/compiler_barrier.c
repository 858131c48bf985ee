// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: an empty asm with a memory clobber orders, and does nothing else
#include <assert.h>
int x;
int main(void) {
  x = 1;
  __asm__ __volatile__("" ::: "memory");
  assert(x == 1);
}
