// truth: safe
// property: assert
// back end: unwind=2 bounded; invariants
// why: two counters stay equal, also when they wrap around
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

unsigned x, y;
int main(void) {
  while (__VERIFIER_nondet_int()) {
    x += 3;
    y += 3;
  }
  assert(x == y);
  return 0;
}
