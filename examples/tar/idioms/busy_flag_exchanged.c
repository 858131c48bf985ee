/* Whoever finds the flag down has raised it in the same step. */
#include <assert.h>
#include <stdatomic.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static atomic_int busy;
static int data;
static void *worker(void *unused) {
  int mine = !atomic_exchange(&busy, 1);
  if (mine) {
    int before = data;
    data = before ? 0 : 1;
    assert(data != before);
    atomic_store(&busy, 0);
  }
  return 0;
}
int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int())
    pthread_create(&thread, 0, worker, 0);
  pthread_exit(0);
}
