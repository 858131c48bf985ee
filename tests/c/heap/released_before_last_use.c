// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the request is freed while the worker may still write to it
#include <pthread.h>
#include <stdlib.h>
struct request {
  int status;
};
static void *complete(void *arg) {
  struct request *r = arg;
  r->status = 1;  // FAILS
  return 0;
}
int main(void) {
  struct request *r = calloc(1, sizeof *r);
  pthread_t t;
  pthread_create(&t, 0, complete, r);
  free(r);
  pthread_join(t, 0);
}
