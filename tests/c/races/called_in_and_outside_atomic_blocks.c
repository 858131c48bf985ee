// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the same function is also called outside a block
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x;

void set(int value) { x = value; } // FAILS

void *one(void *arg)
{
  __VERIFIER_atomic_begin();
  set(1);
  __VERIFIER_atomic_end();
  return arg;
}

void *two(void *arg)
{
  set(2);
  return arg;
}

int main(void)
{
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
