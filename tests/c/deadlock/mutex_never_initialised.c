// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: fresh memory is no mutex until pthread_mutex_init
#include <pthread.h>
#include <stdlib.h>
struct counter { int n; pthread_mutex_t m; };
int main(void) {
  struct counter *c = malloc(sizeof *c);
  c->n = 0;
  pthread_mutex_lock(&c->m);  // FAILS
  c->n++;
  pthread_mutex_unlock(&c->m);
  return 0;
}
