// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: the destructor does not run for a null value, nor after the key is deleted
#include <assert.h>
#include <pthread.h>
pthread_key_t key;
static void destroy(void *p) { assert(0); }
static void *work(void *arg) {
  pthread_setspecific(key, arg);
  pthread_setspecific(key, 0);
  return 0;
}
int main(void) {
  pthread_t t;
  int x;
  pthread_key_create(&key, destroy);
  pthread_create(&t, 0, work, &x);
  pthread_join(t, 0);
}
