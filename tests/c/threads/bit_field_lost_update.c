// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: writing one bit-field rewrites its neighbours
#include <assert.h>
#include <pthread.h>
struct { unsigned a : 1, b : 1; } s;
static void *work(void *arg) {
  s.a = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  s.b = 1;
  pthread_join(t, 0);
  assert(s.a && s.b); // FAILS
}
