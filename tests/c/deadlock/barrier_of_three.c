// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: only two threads come
#include <pthread.h>
pthread_barrier_t b;
static void *work(void *arg) {
  pthread_barrier_wait(&b); // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_barrier_init(&b, 0, 3);
  pthread_create(&t, 0, work, 0);
  pthread_barrier_wait(&b); // FAILS
}
