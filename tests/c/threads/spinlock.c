// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the increments exclude each other
#include <assert.h>
#include <pthread.h>
int x;
pthread_spinlock_t l;
static void *work(void *arg) {
  pthread_spin_lock(&l);
  x++;
  pthread_spin_unlock(&l);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  pthread_spin_destroy(&l);
  assert(x == 2);
}
