// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the flag is up before the box is filled
#include <pthread.h>
#include <stdatomic.h>
atomic_int turn, box;
static void *fill(void *unused) {
  turn = 1;
  box = 5;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, fill, 0);
  if (turn == 1) {
    int seen = box;
    //@ assert seen == 5; // FAILS
  }
  pthread_join(t, 0);
}
