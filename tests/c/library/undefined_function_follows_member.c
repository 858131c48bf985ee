// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a function that is defined nowhere may write what a pointer in its argument leads to
#include <assert.h>
#include <pthread.h>
struct counters { int users; struct counters *next; };
struct device { int minor; const char *name; struct counters *counters; };
int enlist(struct device *device);
static struct counters outer;
static struct counters inner = {1, &outer};
static struct device device = {1, "device", &inner};
void *watch(void *argument) {
  assert(outer.users == 0);  // FAILS
  return argument;
}
int main(void) {
  pthread_t watcher;
  enlist(&device);
  pthread_create(&watcher, 0, watch, 0);
  pthread_join(watcher, 0);
}
