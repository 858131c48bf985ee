// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=safe
// why: each thread has its own locals, also those whose address is taken
#include <assert.h>
#include <pthread.h>
static void bump(int *p) { ++*p; }
static void *work(void *arg) {
  int n = 0, a[2] = {0, 0};
  bump(&n);
  bump(&a[1]);
  assert(n == 1 && a[1] == 1);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
}
