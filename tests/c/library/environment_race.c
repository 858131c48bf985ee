// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: one thread changes the environment while another reads it
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
static void *change(void *unused) {
  setenv("A", "b", 1); // FAILS
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, change, 0);
  getenv("A"); // FAILS
  pthread_join(thread, 0);
}
