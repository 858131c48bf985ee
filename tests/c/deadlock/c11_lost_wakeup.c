// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: the signal may come between the test and the wait
#include <stdatomic.h>
#include <threads.h>
atomic_int ready;
mtx_t m;
cnd_t c;
static int work(void *arg) {
  ready = 1;
  cnd_signal(&c);
  return 0;
}
int main(void) {
  thrd_t t;
  mtx_init(&m, mtx_plain);
  cnd_init(&c);
  thrd_create(&t, work, 0);
  mtx_lock(&m);
  while (!ready)
    cnd_wait(&c, &m); // FAILS
  mtx_unlock(&m);
}
