// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: with NDEBUG an assertion is nothing
#define NDEBUG
#include <assert.h>
int main(void) { assert(0); }
