// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: the routine waits for its own end
#include <pthread.h>
pthread_once_t once = PTHREAD_ONCE_INIT;
static void init(void) {
  pthread_once(&once, init); // FAILS
}
int main(void) {
  pthread_once(&once, init);
}
