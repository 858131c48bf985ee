// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(no violation within) tar=safe horn=safe cover=safe
// why: test and use are one critical section
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
  if (present)
    *shared = 1;
  pthread_mutex_unlock(&lock);
  pthread_join(t, 0);
}
