// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the lock keeps the owner until it is compared
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_t owner;
static void *work(void *unused) {
  pthread_mutex_lock(&lock);
  owner = pthread_self();
  int mine = pthread_equal(owner, pthread_self());
  //@ assert mine;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
