// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: exit runs no cleanup
#include <assert.h>
#include <stdlib.h>
static void put(int *p) { assert(0); }
int main(void) {
  int g __attribute__((cleanup(put))) = 0;
  exit(g);
}
