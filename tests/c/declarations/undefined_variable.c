// truth: unsafe
// property: assert
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
