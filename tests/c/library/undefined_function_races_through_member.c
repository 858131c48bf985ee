// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a function that is defined nowhere may write what its argument leads to, while another thread reads it
#include <pthread.h>
struct counters { int users; };
struct device { struct counters *counters; };
int enlist(struct device *device);
static struct counters counters;
static struct device device = {&counters};
static int seen;
void *watch(void *argument) {
  seen = counters.users;  // FAILS
  return argument;
}
int main(void) {
  pthread_t watcher;
  pthread_create(&watcher, 0, watch, 0);
  enlist(&device);  // FAILS
  pthread_join(watcher, 0);
}
