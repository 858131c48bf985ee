// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the post comes after the write, the wait before the read
#include <pthread.h>
#include <semaphore.h>
int x;
sem_t s;
static void *work(void *arg) {
  x = 1;
  sem_post(&s);
  return 0;
}
int main(void) {
  pthread_t t;
  sem_init(&s, 0, 0);
  pthread_create(&t, 0, work, 0);
  sem_wait(&s);
  int y = x;
  pthread_join(t, 0);
}
