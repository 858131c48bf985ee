// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: rand need not be thread-safe
#include <pthread.h>
#include <stdlib.h>
static void *roll(void *unused) {
  rand(); // FAILS
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, roll, 0);
  rand(); // FAILS
  pthread_join(thread, 0);
}
