// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: two transfers in opposite directions hold one lock each
#include <pthread.h>
#include <stdlib.h>
struct account {
  pthread_mutex_t lock;
  int total;
};
struct account *first, *second;
static void transfer(struct account *from, struct account *to) {
  pthread_mutex_lock(&from->lock);
  pthread_mutex_lock(&to->lock);  // FAILS
  from->total--;
  to->total++;
  pthread_mutex_unlock(&to->lock);
  pthread_mutex_unlock(&from->lock);
}
static void *back(void *arg) {
  transfer(second, first);
  return 0;
}
int main(void) {
  pthread_t t;
  first = calloc(1, sizeof *first);
  second = calloc(1, sizeof *second);
  pthread_mutex_init(&first->lock, 0);
  pthread_mutex_init(&second->lock, 0);
  pthread_create(&t, 0, back, 0);
  transfer(first, second);
  pthread_join(t, 0);
}
