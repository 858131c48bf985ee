// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: as with pthread_equal, the second thread may have the identifier of the first
#include <assert.h>
#include <pthread.h>
static void *work(void *arg) { return 0; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  pthread_create(&u, 0, work, 0);
  assert(t != u); // FAILS
}
