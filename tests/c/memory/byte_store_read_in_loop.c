// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: the byte that is written was zero before
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int x;
int main(void) {
  char *byte = (char *)&x;
  byte[0] = 0;
  while (__VERIFIER_nondet_int())
    assert(x == 0);
  return 0;
}
