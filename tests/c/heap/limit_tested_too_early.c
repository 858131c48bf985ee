// truth: unsafe
// property: overflow
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: both threads test the limit before either adds
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
struct account {
  pthread_mutex_t lock;
  int total;
};
static void *add(void *arg) {
  struct account *a = arg;
  pthread_mutex_lock(&a->lock);
  int room = a->total < INT_MAX;
  pthread_mutex_unlock(&a->lock);
  pthread_mutex_lock(&a->lock);
  if (room)
    a->total = a->total + 1;  // FAILS
  pthread_mutex_unlock(&a->lock);
  return 0;
}
int main(void) {
  struct account *a = calloc(1, sizeof *a);
  pthread_t t;
  pthread_mutex_init(&a->lock, 0);
  a->total = INT_MAX - 1;
  pthread_create(&t, 0, add, a);
  add(a);
  pthread_join(t, 0);
  free(a);
}
