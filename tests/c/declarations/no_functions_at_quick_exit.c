// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: _exit runs neither functions at exit nor destructors
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>
static void at_exit(void) { assert(0); }
__attribute__((destructor)) static void last(void) { assert(0); }
int main(void) {
  atexit(at_exit);
  _exit(0);
}
