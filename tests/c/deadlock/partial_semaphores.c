// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: each of two threads waits for a semaphore that only the other would post, while a third goes on
#include <pthread.h>
#include <semaphore.h>
sem_t a, b;
volatile int beats;
static void *one(void *arg) {
  sem_wait(&a);  // FAILS
  sem_post(&b);
  return 0;
}
static void *two(void *arg) {
  sem_wait(&b);  // FAILS
  sem_post(&a);
  return 0;
}
static void *beat(void *arg) {
  for (;;)
    beats = !beats;
}
int main(void) {
  pthread_t t, u, v;
  sem_init(&a, 0, 0);
  sem_init(&b, 0, 0);
  pthread_create(&t, 0, one, 0);
  pthread_create(&u, 0, two, 0);
  pthread_create(&v, 0, beat, 0);
  pthread_join(v, 0);
  return 0;
}
