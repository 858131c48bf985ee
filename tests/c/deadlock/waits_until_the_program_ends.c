// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: a thread that waits for work that never comes ends with the program
#include <pthread.h>
#include <semaphore.h>
sem_t work;
static void *serve(void *arg) {
  sem_wait(&work);
  return 0;
}
int main(void) {
  pthread_t t;
  sem_init(&work, 0, 0);
  pthread_create(&t, 0, serve, 0);
  return 0;
}
