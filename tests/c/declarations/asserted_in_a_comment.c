// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: an assert clause is checked where it stands
#include <pthread.h>
int x, y;
static void *work(void *arg) {
  __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  if (y)
    //@ assert y == 2;
    y = 1;
  /*@ assert y == 0; */
  //@ assert x == 0;  // FAILS
  return 0;
}
