// truth: safe
// property: assert
// with: parts/counter.c
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=safe locks=safe
// why: the function and the variable are defined in the other file; each file has its own static
#include <assert.h>
extern int shared;
extern int next(void);
static int count = 100;
int main(void) {
  assert(next() == 1 && next() == 2);
  assert(shared == 2 && count == 100);
}
