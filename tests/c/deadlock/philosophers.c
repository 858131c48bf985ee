// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: each of the three has taken the left fork
#include <pthread.h>
pthread_mutex_t fork[3];
static void *eat(void *arg) {
  long i = (long)arg;
  pthread_mutex_lock(&fork[i]);
  pthread_mutex_lock(&fork[(i + 1) % 3]); // FAILS
  pthread_mutex_unlock(&fork[(i + 1) % 3]);
  pthread_mutex_unlock(&fork[i]);
  return 0;
}
int main(void) {
  pthread_t t[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&t[i], 0, eat, (void *)i);
  eat((void *)2);
}
