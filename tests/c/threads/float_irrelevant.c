// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: what the arithmetic gives does not matter to the lock
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int inside;
double sum = 1;
void *work(void *p) {
  while (__VERIFIER_nondet_int()) {
    pthread_mutex_lock(&lock);
    assert(inside == 0);
    inside = 1;
    sum = sum * 1.5 + 0.1;
    inside = 0;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(inside == 0);
}
