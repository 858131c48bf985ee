// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(no violation within) tar=safe horn=safe cover=safe
// why: the request is freed when the worker has ended
#include <pthread.h>
#include <stdlib.h>
struct request {
  int status;
};
static void *complete(void *arg) {
  struct request *r = arg;
  r->status = 1;
  return 0;
}
int main(void) {
  struct request *r = calloc(1, sizeof *r);
  pthread_t t;
  pthread_create(&t, 0, complete, r);
  pthread_join(t, 0);
  free(r);
}
