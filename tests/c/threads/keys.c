// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: each thread has its own value of a key, null at first
#include <assert.h>
#include <pthread.h>
pthread_key_t key, second;
static void *work(void *arg) {
  assert(pthread_getspecific(key) == 0);
  pthread_setspecific(key, arg);
  assert(pthread_getspecific(key) == arg && pthread_getspecific(second) == 0);
  return 0;
}
int main(void) {
  pthread_t t;
  int a, b;
  pthread_key_create(&key, 0);
  pthread_key_create(&second, 0);
  pthread_setspecific(key, &a);
  pthread_create(&t, 0, work, &b);
  pthread_join(t, 0);
  assert(pthread_getspecific(key) == &a);
  pthread_key_delete(key);
}
