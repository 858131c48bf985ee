// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(no violation within) tar=safe horn=safe cover=safe
// why: the thread that takes the last reference frees
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct object {
  atomic_int references;
};
static void *release(void *arg) {
  struct object *o = arg;
  if (--o->references == 0)
    free(o);
  return 0;
}
int main(void) {
  struct object *o = malloc(sizeof *o);
  pthread_t t;
  o->references = 2;
  pthread_create(&t, 0, release, o);
  release(o);
  pthread_join(t, 0);
}
