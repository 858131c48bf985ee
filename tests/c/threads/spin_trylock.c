// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: a failed attempt is ignored
#include <assert.h>
#include <pthread.h>
int x;
pthread_spinlock_t l;
static void *work(void *arg) {
  int got = pthread_spin_trylock(&l) == 0;
  x++;
  if (got)
    pthread_spin_unlock(&l);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  assert(x == 2); // FAILS
}
