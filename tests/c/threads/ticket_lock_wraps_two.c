// truth: safe
// property: assert
// engines: explore=unknown(work) contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: two threads draw tickets for ever; their difference stays small
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_uint next, serving;
int inside;
static void *worker(void *arg) {
  for (;;) {
    unsigned mine = next++;
    while (serving != mine) {
    }
    assert(!inside);
    inside = 1;
    inside = 0;
    serving++;
  }
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  pthread_create(&thread, 0, worker, 0);
  pthread_exit(0);
}
