// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the loop variable has moved on before the thread reads it
#include <assert.h>
#include <pthread.h>
int seen[3];
static void *work(void *arg) {
  seen[*(int *)arg] = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  int i = 0;
  pthread_create(&t, 0, work, &i);
  i = 1;
  pthread_join(t, 0);
  assert(seen[0]); // FAILS
}
