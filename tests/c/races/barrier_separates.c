// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the write is before the barrier, the read behind it
#include <pthread.h>
int x;
pthread_barrier_t b;
static void *work(void *arg) {
  x = 1;
  pthread_barrier_wait(&b);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_barrier_init(&b, 0, 2);
  pthread_create(&t, 0, work, 0);
  pthread_barrier_wait(&b);
  int y = x;
  pthread_join(t, 0);
}
