// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: nobody passes before both have written
#include <assert.h>
#include <pthread.h>
int x[2];
pthread_barrier_t b;
static void *work(void *arg) {
  int me = (int)(long)arg;
  x[me] = 1;
  pthread_barrier_wait(&b);
  assert(x[1 - me] == 1);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_barrier_init(&b, 0, 2);
  pthread_create(&s, 0, work, (void *)0);
  pthread_create(&t, 0, work, (void *)1);
  pthread_join(s, 0);
  pthread_join(t, 0);
  pthread_barrier_destroy(&b);
}
