// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the call may come before the condition
#include <assert.h>
int g;
static int set(int *p) { return *p = 5; }
int main(void) {
  int sum = (g && 1) + set(&g);
  assert(sum == 5); // FAILS
}
