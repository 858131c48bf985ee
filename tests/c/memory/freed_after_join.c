// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: nobody uses the object any more
#include <pthread.h>
#include <stdlib.h>
int *p;
static void *work(void *arg) {
  *p = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  p = malloc(sizeof *p);
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  free(p);
}
