// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the inner worker is joined by the outer one
#include <pthread.h>
int depth;
static void *inner(void *unused) {
  depth = 2;
  return 0;
}
static void *outer(void *unused) {
  pthread_t t;
  depth = 1;
  pthread_create(&t, 0, inner, 0);
  pthread_join(t, 0);
  //@ assert depth == 2;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, outer, 0);
  pthread_join(t, 0);
  //@ assert depth == 2;
}
