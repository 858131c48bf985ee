// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the builtins with a memory order compute the same values
#include <assert.h>
int main(void) {
  unsigned char c = 255;
  long x = 1, y = 2, z;
  assert(__atomic_add_fetch(&c, 1, __ATOMIC_RELAXED) == 0);
  assert(__atomic_fetch_nand(&x, 1, __ATOMIC_SEQ_CST) == 1 && x == -2);
  __atomic_store_n(&x, 4, __ATOMIC_RELEASE);
  assert(__atomic_load_n(&x, __ATOMIC_ACQUIRE) == 4);
  __atomic_exchange(&x, &y, &z, __ATOMIC_SEQ_CST);
  assert(x == 2 && z == 4);
  __atomic_load(&x, &z, __ATOMIC_SEQ_CST);
  assert(z == 2);
  z = 7;
  __atomic_store(&x, &z, __ATOMIC_SEQ_CST);
  y = 7;
  assert(__atomic_compare_exchange_n(&x, &y, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) && x == 9);
  assert(__atomic_exchange_n(&x, 1, __ATOMIC_SEQ_CST) == 9);
  char f = 0;
  assert(!__atomic_test_and_set(&f, __ATOMIC_SEQ_CST) && f);
  __atomic_clear(&f, __ATOMIC_SEQ_CST);
  assert(!f);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
