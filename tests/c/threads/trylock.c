// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: only the thread that got the mutex writes, and EBUSY says that it did not
#include <assert.h>
#include <errno.h>
#include <pthread.h>
int x, failed;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
  int r = pthread_mutex_trylock(&m);
  if (r == 0) {
    x++;
    pthread_mutex_unlock(&m);
  } else {
    assert(r == EBUSY);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  int before = x;
  assert(x == before);
  x++;
  assert(x == before + 1);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  assert(x == 1 || x == 2);
}
