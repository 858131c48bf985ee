// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a struct is copied member by member
#include <assert.h>
#include <pthread.h>
struct pair { int a, b; } p;
static void *work(void *arg) {
  p = (struct pair){1, 1};
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  struct pair q = p;
  assert(q.a == q.b); // FAILS
  pthread_join(t, 0);
}
