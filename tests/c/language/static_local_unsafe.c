// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the second call sees what the first one left
#include <assert.h>
static int next(void) {
  static int n;
  return n++;
}
int main(void) {
  next();
  int n = next();
  assert(n == 0); // FAILS
}
