// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unknown(bound) tar=unsafe horn=unknown(work) cover=unknown(refinement)
// why: two workers write one slot
#include <pthread.h>
int slots[3];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument) {
  int *slot = argument;
  pthread_mutex_lock(&lock);
  *slot = *slot + 1;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t workers[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&workers[i], 0, work, &slots[i / 2]);
  for (int i = 0; i < 3; i++)
    pthread_join(workers[i], 0);
  //@ assert slots[0] == 1; // FAILS
}
