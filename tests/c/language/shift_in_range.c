// truth: safe
// property: assert
// engines: explore=unknown(input_too_large) contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: counts below the width; a negative number may be shifted
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) { unsigned k = __VERIFIER_nondet_uint() % 32; unsigned x = 1u << k; assert(x != 0); int m = -8; assert((m << 1) == -16); assert((m >> 1) == -4);
 short s = 3; char c = (char)k; c = c & 7; s <<= c; return 0; }
