// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the join orders the last write before the free
#include <pthread.h>
#include <stdlib.h>
static void *work(void *arg) {
  *(int *)arg = 1;
  return 0;
}
int main(void) {
  int *p = malloc(sizeof *p);
  pthread_t t;
  pthread_create(&t, 0, work, p);
  pthread_join(t, 0);
  free(p);
}
