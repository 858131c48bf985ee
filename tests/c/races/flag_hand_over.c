// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: an atomic flag tells that the data are there
#include <pthread.h>
#include <stdatomic.h>
int x;
atomic_int ready;
static void *work(void *arg) {
  x = 1;
  ready = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  if (ready)
    x = 2;
  pthread_join(t, 0);
}
