// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: bit-fields side by side are one memory location
#include <pthread.h>
struct { unsigned a : 1, b : 1; } s;
static void *work(void *arg) {
  s.a = 1; // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  s.b = 1; // FAILS
  pthread_join(t, 0);
}
