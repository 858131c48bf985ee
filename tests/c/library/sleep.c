// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: sleeping does not order threads
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
int x;
static void *work(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  sleep(1);
  usleep(10);
  sched_yield();
  assert(x == 1); // FAILS
}
