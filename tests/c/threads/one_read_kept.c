// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the local keeps what was read
#include <assert.h>
#include <pthread.h>
int x;
static void *work(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  int seen = x;
  assert(seen == 0 || seen == 1);
  assert(seen == seen);
  pthread_join(t, 0);
}
