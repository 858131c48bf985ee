// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the time may be over before the post
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
sem_t s;
static void *work(void *arg) {
  sem_post(&s);
  return 0;
}
int main(void) {
  pthread_t t;
  struct timespec until = {0, 0};
  sem_init(&s, 0, 0);
  pthread_create(&t, 0, work, 0);
  int r = sem_timedwait(&s, &until);
  assert(r == 0 || errno == ETIMEDOUT);
  assert(r == 0); // FAILS
}
