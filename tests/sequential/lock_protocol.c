// truth: safe
// property: assert
// back end: unwind=2 bounded; invariants
// why: the lock is free whenever it is taken
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int locked;
int main(void) {
  int old, new = 0;
  do {
    assert(locked == 0);
    locked = 1;
    old = new;
    if (__VERIFIER_nondet_int()) {
      locked = 0;
      new++;
      if (new == 100000)
        return 0;
    }
  } while (new != old);
  assert(locked == 1);
  return 0;
}
