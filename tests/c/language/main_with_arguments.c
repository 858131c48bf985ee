// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the number of arguments is an input that is not negative
#include <assert.h>
int main(int argc, char **argv) { assert(argc >= 0); }
