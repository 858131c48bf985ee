// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the writer is alone; readers see both variables alike
#include <assert.h>
#include <pthread.h>
int a, b;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void *reader(void *arg) {
  pthread_rwlock_rdlock(&l);
  assert(a == b);
  pthread_rwlock_unlock(&l);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, reader, 0);
  pthread_create(&t, 0, reader, 0);
  pthread_rwlock_wrlock(&l);
  a++;
  b++;
  pthread_rwlock_unlock(&l);
  pthread_join(s, 0);
  pthread_join(t, 0);
}
