// truth: safe
// property: assert
// engines: explore=unknown(atexit)
// why: the handler runs at the end, and finds nothing wrong
#include <assert.h>
#include <stdlib.h>
static void last(void) {}
int main(void) {
  atexit(last);
  return 0;
}
