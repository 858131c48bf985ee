/*
 * Whoever has a reference finds the datum as the first set it up, until the last gives it back.
 */
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static int data;
static void *worker(void *unused) {
  pthread_mutex_lock(&lock);
  if (count == 0)
    data = 1; /* the first sets up */
  count++;
  pthread_mutex_unlock(&lock);
  int seen = data;
  pthread_mutex_lock(&lock);
  count--;
  if (count == 0)
    data = 0; /* the last tears down */
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int())
    pthread_create(&thread, 0, worker, 0);
  pthread_exit(0);
}
