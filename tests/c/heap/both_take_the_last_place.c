// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: two threads find one place left and both take one
#include <pthread.h>
#include <stdlib.h>
int *places, used;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *put(void *arg) {
  pthread_mutex_lock(&lock);
  int room = used < 1;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  if (room)
    places[used++] = 1;  // FAILS
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
