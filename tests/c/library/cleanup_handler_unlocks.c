// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: a handler releases the lock of a thread that ends
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void unlock(void *p) { pthread_mutex_unlock(p); }
static void *f(void *v) {
  pthread_mutex_lock(&m);
  pthread_cleanup_push(unlock, &m);
  if (v) pthread_exit(0);
  pthread_cleanup_pop(1);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, f, (void *)1L);
  pthread_create(&b, 0, f, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
