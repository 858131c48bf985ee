// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a width of zero and another member end a run
#include <pthread.h>
struct { unsigned a : 10; unsigned : 0; unsigned b : 4; char c; unsigned d : 3; } s;
static void *work(void *arg) {
  s.a = 1;
  s.d = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  s.b = 2;
  s.c = 2;
  pthread_join(t, 0);
  return 0;
}
