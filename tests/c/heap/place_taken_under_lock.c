// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(no violation within) tar=safe horn=safe cover=safe
// why: looking for a place and taking it are one critical section
#include <pthread.h>
#include <stdlib.h>
int *places, used;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *put(void *arg) {
  pthread_mutex_lock(&lock);
  int room = used < 1;
  if (room)
    places[used++] = 1;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t t;
  places = malloc(sizeof(int));
  pthread_create(&t, 0, put, 0);
  put(0);
  pthread_join(t, 0);
}
