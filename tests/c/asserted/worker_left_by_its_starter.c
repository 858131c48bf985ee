// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: nobody waits for the inner worker
#include <pthread.h>
#include <stdatomic.h>
atomic_int depth;
static void *inner(void *unused) {
  depth = 2;
  return 0;
}
static void *outer(void *unused) {
  pthread_t t;
  depth = 1;
  pthread_create(&t, 0, inner, 0);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, outer, 0);
  pthread_join(t, 0);
  int seen = depth;
  //@ assert seen == 2; // FAILS
}
