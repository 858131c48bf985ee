// truth: safe
// property: assert
// engines: explore=unknown(atexit) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: the handler runs at the end, and finds nothing wrong
#include <assert.h>
#include <stdlib.h>
static void last(void) {}
int main(void) {
  atexit(last);
  return 0;
}
