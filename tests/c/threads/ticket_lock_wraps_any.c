// truth: safe
// property: assert
// engines: explore=unknown(work) contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: tickets wrap around, but fewer than 2^31 threads hold one
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
  for (;;)
    pthread_create(&thread, 0, worker, 0);
}
