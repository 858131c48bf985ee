// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the argument is read from shared memory
#include <pthread.h>
#include <stdio.h>
int x;
static void *work(void *arg) {
  printf("%d\n", x); // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  x = 1; // FAILS
  pthread_join(t, 0);
}
