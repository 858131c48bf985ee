// truth: safe
// property: assert
// why: the function may write to the variable, and nobody minds
#include <assert.h>
extern void frobnicate(int *);
int x;
int main(void) {
  frobnicate(&x);
  return 0;
}
