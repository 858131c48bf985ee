// truth: safe
// property: assert
// engines: explore=unknown(assembly) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: the instruction does nothing that the program sees, but that is not known
#include <assert.h>
int main(void) {
  int x = 1, y;
  __asm__("movl %1, %0" : "=r"(y) : "r"(x));
  assert(x == 1);
}
