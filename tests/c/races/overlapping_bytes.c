// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the byte lies inside the integer
#include <pthread.h>
union { int i; char c[4]; } u;
static void *work(void *arg) {
  u.c[3] = 1; // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  u.i = 1; // FAILS
  pthread_join(t, 0);
}
