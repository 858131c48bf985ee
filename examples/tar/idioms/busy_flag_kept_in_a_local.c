/*
 * Only the thread that has raised the flag works on the datum, and it knows that from a local.
 */
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int busy;
static int data;
static void *worker(void *unused) {
  int mine = 0;
  pthread_mutex_lock(&lock);
  if (!busy) {
    busy = 1;
    mine = 1;
  }
  pthread_mutex_unlock(&lock);
  if (mine) {
    data++;
    pthread_mutex_lock(&lock);
    busy = 0;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}
int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int())
    pthread_create(&thread, 0, worker, 0);
  pthread_exit(0);
}
