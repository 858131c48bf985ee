// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a run of three bytes is one memory location, too
#include <pthread.h>
struct { unsigned a : 10; unsigned b : 10; unsigned c : 4; char d; } s;
static void *work(void *arg) {
  s.a = 1;  // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  int c = s.c;  // FAILS
  pthread_join(t, 0);
  return c;
}
