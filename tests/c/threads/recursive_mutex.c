// truth: safe
// property: assert,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: a recursive mutex is free after as many unlocks as locks
#include <assert.h>
#include <pthread.h>
int x;
pthread_mutex_t m;
static void add(int n) {
  pthread_mutex_lock(&m);
  x++;
  if (n > 1)
    add(n - 1);
  pthread_mutex_unlock(&m);
}
static void *work(void *arg) {
  pthread_mutex_lock(&m);
  add(2);
  assert(x == 2 || x == 4);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &attr);
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(x == 4);
}
