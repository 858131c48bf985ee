// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: each generic function of stdatomic.h returns the old value and stores the new one
#include <assert.h>
#include <stdatomic.h>
int main(void) {
  atomic_int x = ATOMIC_VAR_INIT(3);
  atomic_init(&x, 5);
  assert(atomic_load(&x) == 5);
  atomic_store(&x, 6);
  assert(atomic_exchange(&x, 7) == 6);
  assert(atomic_fetch_add(&x, 3) == 7);
  assert(atomic_fetch_sub_explicit(&x, 2, memory_order_relaxed) == 10);
  assert(atomic_fetch_or(&x, 16) == 8);
  assert(atomic_fetch_and(&x, 24) == 24);
  assert(atomic_fetch_xor(&x, 1) == 24);
  assert(x == 25);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_signal_fence(memory_order_acquire);
}
