// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: the count is read and written in two critical sections
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
  pthread_mutex_unlock(&c->lock);
  pthread_mutex_lock(&c->lock);
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
  assert(c->count == 2);  // FAILS
  free(c);
}
