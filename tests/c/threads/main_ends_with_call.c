// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the last action of main is inside a function and in an atomic block
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x;

void *worker(void *arg)
{
  assert(x == 0); // FAILS
  return arg;
}

void set(void)
{
  __VERIFIER_atomic_begin();
  x = 1;
  __VERIFIER_atomic_end();
}

void main(void)
{
  pthread_t thread;
  pthread_create(&thread, 0, worker, 0);
  set();
}
