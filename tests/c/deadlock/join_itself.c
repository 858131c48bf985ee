// truth: unsafe
// property: deadlock
// engines: explore=unsafe
// why: a thread waits for its own end
#include <pthread.h>
int main(void) {
  pthread_join(pthread_self(), 0); // FAILS
}
