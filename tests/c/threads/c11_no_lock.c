// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unknown(work)
// why: two C11 threads increment without a lock
#include <assert.h>
#include <threads.h>
int x;
static int work(void *arg) {
  x++;
  thrd_exit(3);
}
int main(void) {
  thrd_t s, t;
  int r;
  thrd_create(&s, work, 0);
  thrd_create(&t, work, 0);
  thrd_join(s, &r);
  thrd_join(t, 0);
  assert(r == 3);
  assert(x == 2); // FAILS
}
