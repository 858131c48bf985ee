// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: somebody who goes on for ever posts the semaphore, and main waits for both
#include <pthread.h>
#include <semaphore.h>
sem_t work;
static void *serve(void *arg) {
  sem_wait(&work);
  return 0;
}
static void *feed(void *arg) {
  for (;;)
    if (sem_trywait(&work))
      sem_post(&work);
}
int main(void) {
  pthread_t t, u;
  sem_init(&work, 0, 0);
  pthread_create(&t, 0, serve, 0);
  pthread_create(&u, 0, feed, 0);
  pthread_join(u, 0);
  return 0;
}
