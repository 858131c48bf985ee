// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the flag may not be set yet
#include <pthread.h>
int ready;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *produce(void *unused) {
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t t;
  int seen;
  pthread_create(&t, 0, produce, 0);
  pthread_mutex_lock(&lock);
  seen = ready;
  pthread_mutex_unlock(&lock);
  if (seen)
    ;
  else
    //@ assert seen == 1; // FAILS
    ready = 0;
  pthread_join(t, 0);
}
