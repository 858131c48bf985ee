// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: the four threads pass in two pairs, in whatever order they wake
#include <pthread.h>
pthread_barrier_t b;
static void *work(void *arg) {
  pthread_barrier_wait(&b);
  return 0;
}
int main(void) {
  pthread_t t[3];
  pthread_barrier_init(&b, 0, 2);
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], 0, work, 0);
  pthread_barrier_wait(&b);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], 0);
}
