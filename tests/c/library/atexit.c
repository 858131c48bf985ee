// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the handler runs at the end, and finds nothing wrong
#include <assert.h>
#include <stdlib.h>
static void last(void) {}
int main(void) {
  atexit(last);
  return 0;
}
