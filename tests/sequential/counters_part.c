// truth: unsafe
// property: assert
// back end: unwind=2 wrong
// why: one counter runs ahead
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

unsigned x, y;
int main(void) {
  while (__VERIFIER_nondet_int()) {
    x += 3;
    y += 2;
  }
  assert(x == y); // FAILS
  return 0;
}
