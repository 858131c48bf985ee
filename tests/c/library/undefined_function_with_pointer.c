// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the function may write to the variable, and nobody minds
#include <assert.h>
extern void frobnicate(int *);
int x;
int main(void) {
  frobnicate(&x);
  return 0;
}
