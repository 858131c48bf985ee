// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the program has ended before the join returns
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static void *work(void *arg) { exit(0); }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  assert(0);
}
