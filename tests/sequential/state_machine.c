// truth: safe
// property: assert
// back end: unwind=2 bounded; invariants
// why: the last state is reached by way of the others only
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int state = 0, opened = 0;
  while (__VERIFIER_nondet_int()) {
    switch (state) {
    case 0:
      state = 1;
      break;
    case 1:
      opened = 1;
      state = __VERIFIER_nondet_int() ? 2 : 0;
      break;
    case 2:
      assert(opened == 1);
      break;
    default:
      assert(0);
    }
  }
  return 0;
}
