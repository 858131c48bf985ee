// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: casts between integers and pointers keep what they must
#include <assert.h>
#include <stdint.h>
int x = 7;
int main(void) {
  assert((int)(char)300 == 44);
  assert((void *)0 == 0);
  void *v = &x;
  assert(*(int *)v == 7);
  (void)x;
  uintptr_t number = 5;
  assert((uintptr_t)(void *)number == 5);
}
