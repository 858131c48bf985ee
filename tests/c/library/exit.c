// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: exit ends the program, from any depth and for all threads
#include <assert.h>
#include <stdlib.h>
static void leave(void) { exit(3); }
int main(void) {
  leave();
  assert(0);
}
