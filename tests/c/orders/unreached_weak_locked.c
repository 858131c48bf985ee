// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=unknown(not_certified) horn=unknown(not_certified) cover=unknown(not_certified)
// why: the only weak access is never executed, and a mutex orders the writes
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int ready;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *writer(void *arg) {
  pthread_mutex_lock(&m);
  data = 1;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t[2];
  int never = 0;
  pthread_create(&t[0], 0, writer, 0);
  pthread_create(&t[1], 0, writer, 0);
  if (never)
    atomic_store_explicit(&ready, 1, memory_order_release);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
