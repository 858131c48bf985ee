// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: the thread waits for the main thread, which waits for it
#include <pthread.h>
static void *work(void *arg) {
  pthread_join(*(pthread_t *)arg, 0); // FAILS
  return 0;
}
int main(void) {
  pthread_t self = pthread_self(), t;
  pthread_create(&t, 0, work, &self);
  pthread_join(t, 0); // FAILS
}
