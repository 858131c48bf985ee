// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: with a plain flag each, both may still find the other's unset after writing in the wrong order
#include <assert.h>
#include <pthread.h>
int x, y, a = 1, b = 1;
static void *left(void *arg) {
  a = y;
  x = 1;
  return 0;
}
static void *right(void *arg) {
  b = x;
  y = 1;
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, left, 0);
  pthread_create(&t, 0, right, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(a + b > 0); // FAILS
}
