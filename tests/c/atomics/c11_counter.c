// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=safe cover=unknown(work)
// why: an increment of an atomic object is one action
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
_Atomic unsigned y = 5;
static void *work(void *arg) {
  x++;
  y += 2;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  assert(x == 2 && y == 9);
}
