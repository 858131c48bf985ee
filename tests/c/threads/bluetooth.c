// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: the worker checks the flag before the driver stops, and counts itself in behind it
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void), __VERIFIER_assume(int);
int stopping, stopped, pending = 1, event;
static void leave(void) {
  __VERIFIER_atomic_begin();
  pending--;
  int last = pending == 0;
  __VERIFIER_atomic_end();
  if (last)
    event = 1;
}
static void *worker(void *arg) {
  if (stopping)
    return 0;
  __VERIFIER_atomic_begin();
  pending++;
  __VERIFIER_atomic_end();
  assert(!stopped); // FAILS
  leave();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  stopping = 1;
  leave();
  __VERIFIER_assume(event);
  stopped = 1;
  pthread_join(t, 0);
}
