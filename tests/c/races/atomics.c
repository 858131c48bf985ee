// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: accesses to an atomic object do not race
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void *work(void *arg) {
  x = 1;
  x++;
  atomic_fetch_add(&x, 1);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  int y = x;
  pthread_join(t, 0);
}
