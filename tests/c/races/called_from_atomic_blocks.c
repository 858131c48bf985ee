// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: what a function does for an atomic block belongs to the block
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x;

void set(int value) { x = value; }

void *one(void *arg)
{
  __VERIFIER_atomic_begin();
  set(1);
  __VERIFIER_atomic_end();
  return arg;
}

void *two(void *arg)
{
  __VERIFIER_atomic_begin();
  x = 2;
  __VERIFIER_atomic_end();
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
