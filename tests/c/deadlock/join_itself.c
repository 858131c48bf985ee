// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: a thread waits for its own end
#include <pthread.h>
int main(void) {
  pthread_join(pthread_self(), 0); // FAILS
}
