// truth: unsafe
// property: assert
// why: what is called through the table may return anything
#include <assert.h>
extern int compute(int);
static int (*table[])(int) = {compute};
int main(void) {
  assert(table[0](1) != 2);  // FAILS
  return 0;
}
