// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the routine runs once, and is over before any pthread_once returns
#include <assert.h>
#include <pthread.h>
int runs;
pthread_once_t once = PTHREAD_ONCE_INIT;
static void init(void) { runs++; }
static void *work(void *arg) {
  pthread_once(&once, init);
  assert(runs == 1);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  assert(runs == 1);
}
