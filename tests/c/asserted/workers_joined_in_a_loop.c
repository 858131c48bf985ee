// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(refinement)
// why: every worker is joined before the sum is read
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
  for (int i = 0; i < 3; i++)
    pthread_join(workers[i], 0);
  //@ assert sum == 3;
}
