// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unsafe
// why: localtime returns the same object to all threads
#include <pthread.h>
#include <time.h>
static void *look(void *unused) {
  time_t now = 0;
  localtime(&now); // FAILS
  return unused;
}
int main(void) {
  pthread_t thread;
  time_t now = 0;
  pthread_create(&thread, 0, look, 0);
  localtime(&now); // FAILS
  pthread_join(thread, 0);
}
