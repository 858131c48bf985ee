// truth: safe
// property: assert
// engines: explore=unknown(pthread_cancel) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: cancelling a thread that only returns changes nothing
#include <assert.h>
#include <pthread.h>
static void *work(void *arg) { return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_cancel(t);
  pthread_join(t, 0);
  return 0;
}
