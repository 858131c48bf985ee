// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a run of bit-fields is one memory location, however wide
#include <pthread.h>
struct { unsigned long a : 60; unsigned long b : 60; unsigned long c : 60; } s;
static void *work(void *arg) {
  s.a = 1;  // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  s.c = 2;  // FAILS
  pthread_join(t, 0);
  return 0;
}
