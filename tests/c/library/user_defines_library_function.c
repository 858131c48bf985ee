// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a function that the program defines itself is the one that is called
#include <assert.h>
int rand(void) { return 77; }
int main(void) { assert(rand() == 77); }
