// truth: safe
// property: race
// engines: explore=safe contexts=unknown(no violation within) tar=safe horn=safe cover=safe locks=safe
// why: the head is touched only under the lock
#include <pthread.h>
#include <stdlib.h>
struct node {
  struct node *next;
};
struct node *head;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *push(void *arg) {
  struct node *n = malloc(sizeof *n);
  pthread_mutex_lock(&lock);
  n->next = head;
  head = n;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, push, 0);
  push(0);
  pthread_join(t, 0);
}
