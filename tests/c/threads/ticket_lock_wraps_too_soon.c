// truth: unsafe
// property: assert
// engines: explore=unknown(work) contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: with 257 threads two of them hold the same ticket
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_uchar next, serving;
int inside;
static void *worker(void *arg) {
  for (;;) {
    unsigned char mine = next++;
    while (serving != mine) {
    }
    assert(!inside); // FAILS
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
