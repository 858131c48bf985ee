// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: what is called through the table may return anything
#include <assert.h>
extern int compute(int);
static int (*table[])(int) = {compute};
int main(void) {
  assert(table[0](1) != 2);  // FAILS
  return 0;
}
