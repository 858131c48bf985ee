// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: others run between the last action of main and the end of the program
#include <assert.h>
#include <pthread.h>

int x;

void *worker(void *arg)
{
  assert(x == 0); // FAILS
  return arg;
}

void main(void)
{
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  x = 1;
}
