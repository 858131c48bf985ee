// truth: safe
// property: assert
// back end: unwind=8 correct
// why: a byte has at most eight bits
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned char x = __VERIFIER_nondet_uint();
  int bits = 0;
  while (x) {
    x &= x - 1;
    bits++;
  }
  assert(bits <= 8);
  return 0;
}
