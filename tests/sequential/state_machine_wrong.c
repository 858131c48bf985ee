// truth: unsafe
// property: assert
// back end: unwind=8 wrong
// why: one way to the last state does not open
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int state = 0, opened = 0;
  while (__VERIFIER_nondet_int()) {
    switch (state) {
    case 0:
      state = __VERIFIER_nondet_int() ? 1 : 2;
      break;
    case 1:
      opened = 1;
      state = 2;
      break;
    case 2:
      assert(opened == 1); // FAILS
      break;
    }
  }
  return 0;
}
