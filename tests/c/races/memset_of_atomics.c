// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: memset accesses plainly
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
struct {
  atomic_int n, k;
} counters;
static void *work(void *arg) {
  counters.n++; // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  memset(&counters, 0, sizeof counters); // FAILS
  pthread_join(t, 0);
}
