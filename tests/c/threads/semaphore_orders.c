// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the wait comes after the post
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
int x;
sem_t s;
static void *work(void *arg) {
  x = 3;
  sem_post(&s);
  return 0;
}
int main(void) {
  pthread_t t;
  sem_init(&s, 0, 0);
  pthread_create(&t, 0, work, 0);
  sem_wait(&s);
  assert(x == 3);
}
