// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the old builtins return the old or the new value, by their name
#include <assert.h>
int main(void) {
  int x = 5;
  assert(__sync_fetch_and_add(&x, 2) == 5 && x == 7);
  assert(__sync_add_and_fetch(&x, 2) == 9);
  assert(__sync_fetch_and_sub(&x, 4) == 9 && __sync_sub_and_fetch(&x, 1) == 4);
  assert(__sync_fetch_and_or(&x, 3) == 4 && __sync_fetch_and_and(&x, 6) == 7);
  assert(__sync_xor_and_fetch(&x, 1) == 7);
  assert(__sync_bool_compare_and_swap(&x, 7, 1) && x == 1);
  assert(!__sync_bool_compare_and_swap(&x, 7, 2) && x == 1);
  assert(__sync_val_compare_and_swap(&x, 1, 3) == 1 && x == 3);
  assert(__sync_lock_test_and_set(&x, 8) == 3 && x == 8);
  __sync_lock_release(&x);
  __sync_synchronize();
  assert(x == 0);
}
