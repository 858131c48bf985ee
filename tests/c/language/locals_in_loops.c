// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a local with its address taken is a fresh object in each round, initialised again
#include <assert.h>
static void bump(int *p) { ++*p; }
int main(void) {
  for (int i = 0; i < 3; i++) {
    int n = 0;
    bump(&n);
    assert(n == 1);
  }
}
