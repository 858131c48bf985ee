// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the flag is set before what it announces is there
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct message {
  atomic_int ready;
  atomic_int content;
};
static void *send(void *arg) {
  struct message *m = arg;
  m->ready = 1;
  m->content = 7;
  return 0;
}
int main(void) {
  struct message *m = calloc(1, sizeof *m);
  pthread_t t;
  pthread_create(&t, 0, send, m);
  if (m->ready)
    assert(m->content == 7);  // FAILS
  pthread_join(t, 0);
  free(m);
}
