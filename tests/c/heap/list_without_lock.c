// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: both threads link a node to the same head
#include <pthread.h>
#include <stdlib.h>
struct node {
  struct node *next;
};
struct node *head;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *push(void *arg) {
  struct node *n = malloc(sizeof *n);
  n->next = head;  // FAILS
  head = n;  // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, push, 0);
  push(0);
  pthread_join(t, 0);
}
