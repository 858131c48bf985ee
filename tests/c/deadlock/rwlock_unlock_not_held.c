// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: the read lock belongs to the main thread
#include <pthread.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void *work(void *arg) {
  pthread_rwlock_unlock(&l); // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_rwlock_rdlock(&l);
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
}
