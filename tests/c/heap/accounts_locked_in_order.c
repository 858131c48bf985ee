// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(no violation within) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: transfers take the locks in one order
#include <pthread.h>
#include <stdlib.h>
struct account {
  pthread_mutex_t lock;
  int total;
};
struct account *first, *second;
static void transfer(struct account *from, struct account *to) {
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
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
