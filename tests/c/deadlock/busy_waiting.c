// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: a thread that spins can move, so nobody is deadlocked
#include <pthread.h>
#include <stdatomic.h>
atomic_int go;
static void *work(void *arg) {
  while (!go)
    ;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
}
