// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a local without initialiser may have any value
#include <assert.h>
int main(void) {
  int x;
  int *p = &x;
  assert(*p != 5); // FAILS
}
