// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a variable that is defined elsewhere may hold anything, the same at each read
#include <assert.h>
extern int elsewhere;
static int *address = &elsewhere;
int main(void) {
  int n = *address;
  assert(n == elsewhere);
  assert(n != 7);  // FAILS
  return 0;
}
