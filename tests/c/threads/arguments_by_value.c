// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(refinement)
// why: each thread gets the argument of its own creation
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
int seen[3];
static void *work(void *arg) {
  seen[(intptr_t)arg]++;
  return 0;
}
int main(void) {
  pthread_t t[3];
  for (intptr_t i = 0; i < 3; i++)
    pthread_create(&t[i], 0, work, (void *)i);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], 0);
  for (int i = 0; i < 3; i++)
    assert(seen[i] == 1);
}
