// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: one thread writes while the flag is down, the other while it is up
#include <pthread.h>
#include <stdatomic.h>
atomic_int turn;
int box;
static void *fill(void *unused) {
  if (turn == 0) {
    box = 5;
    turn = 1;
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, fill, 0);
  if (turn == 1) {
    //@ assert box == 5;
    box = 0;
    turn = 2;
  }
  pthread_join(t, 0);
}
