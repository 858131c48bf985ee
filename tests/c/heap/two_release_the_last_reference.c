// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: both threads can see that no reference is left
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct object {
  atomic_int references;
};
static void *release(void *arg) {
  struct object *o = arg;
  o->references--;
  if (o->references == 0)  // FAILS
    free(o);  // CAN FAIL
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
