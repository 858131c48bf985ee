// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unknown(bound) tar=unsafe horn=unknown(work) cover=unknown(refinement)
// why: the last worker may not have run yet
#include <pthread.h>
int sum;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) {
  pthread_mutex_lock(&lock);
  sum++;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t workers[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&workers[i], 0, work, 0);
  for (int i = 0; i < 2; i++)
    pthread_join(workers[i], 0);
  pthread_mutex_lock(&lock);
  //@ assert sum == 3; // FAILS
  pthread_mutex_unlock(&lock);
}
