// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(no violation within) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: reading and writing are one critical section
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct counter {
  pthread_mutex_t lock;
  int count;
};
static void *add(void *arg) {
  struct counter *c = arg;
  pthread_mutex_lock(&c->lock);
  int old = c->count;
  c->count = old + 1;
  pthread_mutex_unlock(&c->lock);
  return 0;
}
int main(void) {
  struct counter *c = calloc(1, sizeof *c);
  pthread_t t;
  pthread_mutex_init(&c->lock, 0);
  pthread_create(&t, 0, add, c);
  add(c);
  pthread_join(t, 0);
  assert(c->count == 2);
  free(c);
}
