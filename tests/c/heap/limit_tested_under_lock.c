// truth: safe
// property: overflow
// engines: explore=safe contexts=unknown(no violation within) tar=safe horn=unknown(work) cover=safe
// why: testing the limit and adding are one critical section
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
  if (room)
    a->total = a->total + 1;
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
