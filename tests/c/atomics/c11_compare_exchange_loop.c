// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the loop repeats until no one came between
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x = 1;
static void *work(void *arg) {
  int old = atomic_load(&x);
  while (!atomic_compare_exchange_strong(&x, &old, old * 2))
    ;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  assert(x == 4);
}
