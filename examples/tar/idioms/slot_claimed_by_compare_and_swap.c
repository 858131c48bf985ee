/* Who claims the slot works on it alone until the next state. */
#include <stdatomic.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
enum { FREE, BUSY, DONE };
static atomic_int state;
static int data;
static void *producer(void *unused) {
  int expected = FREE;
  if (atomic_compare_exchange_strong(&state, &expected, BUSY)) {
    data = 7;
    atomic_store(&state, DONE);
  }
  return 0;
}
static void *consumer(void *unused) {
  int expected = DONE;
  if (atomic_compare_exchange_strong(&state, &expected, BUSY)) {
    int seen = data;
    data = 0;
    atomic_store(&state, FREE);
  }
  return 0;
}
int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int())
    pthread_create(&thread, 0, __VERIFIER_nondet_int() ? producer : consumer, 0);
  pthread_exit(0);
}
