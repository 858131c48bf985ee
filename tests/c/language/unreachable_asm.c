// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: an asm that no thread reaches is harmless
#include <assert.h>
int main(void) {
  int x = 1;
  if (x == 2)
    __asm__ volatile("hlt");
  assert(x == 1);
}
