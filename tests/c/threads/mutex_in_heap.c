// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a mutex may live inside an allocated struct
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct account { pthread_mutex_t lock; int balance; };
static void *deposit(void *arg) {
  struct account *a = arg;
  pthread_mutex_lock(&a->lock);
  a->balance += 10;
  pthread_mutex_unlock(&a->lock);
  return 0;
}
int main(void) {
  pthread_t s, t;
  struct account *a = malloc(sizeof *a);
  pthread_mutex_init(&a->lock, 0);
  a->balance = 0;
  pthread_create(&s, 0, deposit, a);
  pthread_create(&t, 0, deposit, a);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(a->balance == 20);
  pthread_mutex_destroy(&a->lock);
  free(a);
}
