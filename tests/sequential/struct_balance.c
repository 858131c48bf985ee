// truth: safe
// property: assert
// back end: unwind=2 bounded; invariants
// why: what one field loses the other gains
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct account {
  int from, to;
} s = {100, 0};
int main(void) {
  while (s.from > 0 && __VERIFIER_nondet_int()) {
    s.from--;
    s.to++;
  }
  assert(s.from + s.to == 100);
  return 0;
}
