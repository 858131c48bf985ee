// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(refinement)
// why: each worker writes a slot of its own
#include <pthread.h>
int slots[3];
static void *work(void *argument) {
  int *slot = argument;
  *slot = *slot + 1;
  return 0;
}
int main(void) {
  pthread_t workers[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&workers[i], 0, work, &slots[i]);
  for (int i = 0; i < 3; i++) {
    pthread_join(workers[i], 0);
    //@ assert slots[i] == 1;
  }
}
