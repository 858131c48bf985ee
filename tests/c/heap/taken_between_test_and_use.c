// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the pointer can become null between the test and the use
#include <pthread.h>
#include <stdlib.h>
int *shared;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *take(void *arg) {
  pthread_mutex_lock(&lock);
  shared = 0;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t t;
  shared = calloc(1, sizeof *shared);
  pthread_create(&t, 0, take, 0);
  pthread_mutex_lock(&lock);
  int present = shared != 0;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  if (present)
    *shared = 1;  // FAILS
  pthread_mutex_unlock(&lock);
  pthread_join(t, 0);
}
