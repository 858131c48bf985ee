// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: tickets are served one after the other
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_uint next, serving;
int inside;
static void *work(void *arg) {
  unsigned mine = atomic_fetch_add(&next, 1);
  while (serving != mine)
    ;
  inside++;
  assert(inside == 1);
  inside--;
  serving++;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
}
