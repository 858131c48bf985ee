// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a barrier for one holds nobody back
#include <assert.h>
#include <pthread.h>
int x[2];
pthread_barrier_t b;
static void *work(void *arg) {
  int me = (int)(long)arg;
  x[me] = 1;
  pthread_barrier_wait(&b);
  assert(x[1 - me] == 1); // FAILS
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_barrier_init(&b, 0, 1);
  pthread_create(&s, 0, work, (void *)0);
  pthread_create(&t, 0, work, (void *)1);
  pthread_join(s, 0);
  pthread_join(t, 0);
}
