// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the assertion stands where the flag is set
#include <pthread.h>
int ready, value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *produce(void *unused) {
  pthread_mutex_lock(&lock);
  value = 7;
  ready = 1;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  pthread_mutex_lock(&lock);
  if (ready) {
    //@ assert value == 7;
    value = 0;
  }
  pthread_mutex_unlock(&lock);
  pthread_join(t, 0);
}
