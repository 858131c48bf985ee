// truth: safe
// property: assert,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a recursive C11 mutex may be locked again by its holder
#include <assert.h>
#include <threads.h>
mtx_t m;
int x;
static int work(void *arg) {
  mtx_lock(&m);
  mtx_lock(&m);
  x++;
  mtx_unlock(&m);
  x++;
  mtx_unlock(&m);
  return 0;
}
int main(void) {
  thrd_t t;
  mtx_init(&m, mtx_plain | mtx_recursive);
  thrd_create(&t, work, 0);
  work(0);
  thrd_join(t, 0);
  assert(x == 4);
}
