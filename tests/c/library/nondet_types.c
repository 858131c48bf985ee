// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: inputs stay in the range of their types
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  assert(__VERIFIER_nondet_uchar() <= 255);
  int b = __VERIFIER_nondet_bool();
  assert(b == 0 || b == 1);
  assert(__VERIFIER_nondet_char() <= 127);
  assert(__VERIFIER_nondet_short() >= -32768);
  assert(__VERIFIER_nondet_uint() >= 0);
}
