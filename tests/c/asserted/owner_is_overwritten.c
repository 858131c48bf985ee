// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: another thread writes the owner between the write and the comparison
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_t owner;
static void *work(void *unused) {
  pthread_mutex_lock(&lock);
  owner = pthread_self();
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  int mine = pthread_equal(owner, pthread_self());
  pthread_mutex_unlock(&lock);
  //@ assert mine; // FAILS
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
