// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: the destructor runs with the value when the thread ends
#include <assert.h>
#include <pthread.h>
pthread_key_t key;
int destroyed;
static void destroy(void *p) { *(int *)p = 1; }
static void *work(void *arg) {
  pthread_setspecific(key, &destroyed);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_key_create(&key, destroy);
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  assert(destroyed == 0); // FAILS
}
