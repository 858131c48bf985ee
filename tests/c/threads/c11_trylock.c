// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a plain C11 mutex that is held is busy
#include <assert.h>
#include <threads.h>
int main(void) {
  mtx_t m;
  mtx_init(&m, mtx_plain);
  assert(mtx_trylock(&m) == thrd_success);
  assert(mtx_trylock(&m) == thrd_busy);
  mtx_unlock(&m);
  assert(mtx_trylock(&m) == thrd_success);
}
