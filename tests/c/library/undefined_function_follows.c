// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
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
