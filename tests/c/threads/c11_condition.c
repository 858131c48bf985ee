// truth: safe
// property: assert,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: the waiter looks again after each wake-up, and the signal is not lost
#include <assert.h>
#include <threads.h>
mtx_t m;
cnd_t c;
int ready;
static int work(void *arg) {
  mtx_lock(&m);
  ready = 1;
  cnd_signal(&c);
  mtx_unlock(&m);
  return 0;
}
int main(void) {
  thrd_t t;
  mtx_init(&m, mtx_plain);
  cnd_init(&c);
  thrd_create(&t, work, 0);
  mtx_lock(&m);
  while (!ready)
    cnd_wait(&c, &m);
  mtx_unlock(&m);
  assert(ready);
  thrd_join(t, 0);
  cnd_destroy(&c);
}
