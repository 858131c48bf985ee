// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: every wait has its post
#include <pthread.h>
#include <semaphore.h>
sem_t s;
static void *work(void *arg) {
  sem_post(&s);
  return 0;
}
int main(void) {
  pthread_t t;
  sem_init(&s, 0, 0);
  pthread_create(&t, 0, work, 0);
  sem_wait(&s);
  pthread_join(t, 0);
}
