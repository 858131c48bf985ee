// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: an atomic pointer is exchanged as a whole
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int v; struct node *next; };
_Atomic(struct node *) top;
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->v = v;
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_weak(&top, &n->next, n))
    ;
}
static void *work(void *arg) {
  push(1);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  push(2);
  pthread_join(t, 0);
  struct node *n = top;
  assert(n->v + n->next->v == 3 && n->next->next == 0);
}
