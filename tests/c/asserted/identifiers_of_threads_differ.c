// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: two threads that exist at once have two identifiers
#include <pthread.h>
static void *work(void *unused) {
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, 0);
  int same = pthread_equal(t, u);
  //@ assert !same;
  int own = pthread_equal(t, pthread_self());
  //@ assert !own;
  pthread_join(t, 0);
  pthread_join(u, 0);
}
