// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: under sequential consistency the second check is enough
#include <assert.h>
#include <pthread.h>
int made, *instance, storage;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *use(void *arg) {
  if (!instance) {
    pthread_mutex_lock(&m);
    if (!instance) {
      made++;
      storage = 5;
      instance = &storage;
    }
    pthread_mutex_unlock(&m);
  }
  assert(*instance == 5);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, use, 0);
  use(0);
  pthread_join(t, 0);
  assert(made == 1);
}
