// truth: unsafe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: a function that is nowhere defined may follow the pointers that it gets
#include <assert.h>
struct node { int *value; };
extern void outside(struct node *);
int main(void) {
  int x = 1;
  struct node n = {&x};
  outside(&n);
  assert(x == 1); // FAILS
}
