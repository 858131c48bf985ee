// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the semaphore lets one in at a time
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
int x;
sem_t s;
static void *work(void *arg) {
  sem_wait(&s);
  x++;
  sem_post(&s);
  return 0;
}
int main(void) {
  pthread_t t;
  sem_init(&s, 0, 1);
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  int value;
  sem_getvalue(&s, &value);
  assert(x == 2 && value == 1);
  sem_destroy(&s);
}
