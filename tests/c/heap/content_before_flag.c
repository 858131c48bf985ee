// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(no violation within) tar=safe horn=safe cover=safe
// why: the flag is set when what it announces is there
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
  m->content = 7;
  m->ready = 1;
  return 0;
}
int main(void) {
  struct message *m = calloc(1, sizeof *m);
  pthread_t t;
  pthread_create(&t, 0, send, m);
  if (m->ready)
    assert(m->content == 7);
  pthread_join(t, 0);
  free(m);
}
