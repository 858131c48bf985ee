// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(refinement)
// why: each worker returns what it was given
#include <pthread.h>
#include <stdint.h>
static void *twice(void *argument) {
  return (void *)(2 * (intptr_t)argument);
}
int main(void) {
  pthread_t workers[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&workers[i], 0, twice, (void *)(intptr_t)i);
  intptr_t sum = 0;
  for (int i = 0; i < 3; i++) {
    void *result;
    pthread_join(workers[i], &result);
    sum += (intptr_t)result;
  }
  //@ assert sum == 6;
}
