// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=safe cover=unknown(work)
// why: the flag is a lock
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_flag flag = ATOMIC_FLAG_INIT;
int x;
static void *work(void *arg) {
  while (atomic_flag_test_and_set(&flag))
    ;
  x++;
  atomic_flag_clear(&flag);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  assert(x == 2);
}
