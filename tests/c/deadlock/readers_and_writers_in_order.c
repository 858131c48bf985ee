// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: three readers and a writer take the locks in one order
#include <pthread.h>
pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;
static void *reads(void *arg) {
  pthread_rwlock_rdlock(&a);
  pthread_rwlock_rdlock(&b);
  pthread_rwlock_unlock(&a);
  pthread_rwlock_unlock(&b);
  return 0;
}
static void *writes(void *arg) {
  pthread_rwlock_wrlock(&a);
  pthread_rwlock_wrlock(&b);
  pthread_rwlock_unlock(&b);
  pthread_rwlock_unlock(&a);
  return 0;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], 0, reads, 0);
  pthread_create(&t[3], 0, writes, 0);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], 0);
}
