// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: under sequential consistency one of the threads sees the other's store
#include <assert.h>
#include <pthread.h>
int x, y, a = 1, b = 1;
static void *left(void *arg) {
  x = 1;
  a = y;
  return 0;
}
static void *right(void *arg) {
  y = 1;
  b = x;
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, left, 0);
  pthread_create(&t, 0, right, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(a + b > 0);
}
