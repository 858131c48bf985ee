// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: the threads hold different mutexes
#include <assert.h>
#include <pthread.h>
int x;
pthread_mutex_t m[2];
static void *work(void *arg) {
  pthread_mutex_t *mine = arg;
  pthread_mutex_lock(mine);
  x++;
  pthread_mutex_unlock(mine);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_mutex_init(&m[0], 0);
  pthread_mutex_init(&m[1], 0);
  pthread_create(&a, 0, work, &m[0]);
  pthread_create(&b, 0, work, &m[1]);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(x == 2); // FAILS
}
