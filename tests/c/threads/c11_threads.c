// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a C11 thread's result comes back through thrd_join
#include <assert.h>
#include <threads.h>
int x;
mtx_t m;
static int work(void *arg) {
  mtx_lock(&m);
  x++;
  mtx_unlock(&m);
  return *(int *)arg;
}
int main(void) {
  thrd_t s, t;
  int one = 1, minus = -2, r, q;
  mtx_init(&m, mtx_plain);
  assert(thrd_create(&s, work, &one) == thrd_success);
  assert(thrd_create(&t, work, &minus) == thrd_success);
  assert(thrd_join(s, &r) == thrd_success);
  thrd_join(t, &q);
  assert(x == 2 && r == 1 && q == -2);
  mtx_destroy(&m);
}
