// truth: safe
// property: assert
// engines: explore=unknown(frobnicate) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: nothing is known about what the function does with shared memory
#include <assert.h>
extern void frobnicate(int *);
int x;
int main(void) {
  frobnicate(&x);
  return 0;
}
