/* The lock is that of another slot at times. */
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
struct slot {
  pthread_mutex_t lock;
  int data;
};
static struct slot table[4] = {
  { PTHREAD_MUTEX_INITIALIZER, 0 }, { PTHREAD_MUTEX_INITIALIZER, 0 },
  { PTHREAD_MUTEX_INITIALIZER, 0 }, { PTHREAD_MUTEX_INITIALIZER, 0 } };
static void *worker(void *unused) {
  int at = __VERIFIER_nondet_int();
  if (at < 0 || at >= 4)
    return 0;
  struct slot *slot = &table[at], *locked = __VERIFIER_nondet_int() ? slot : &table[0];
  pthread_mutex_lock(&locked->lock);
  slot->data = slot->data ? 0 : 1;
  pthread_mutex_unlock(&locked->lock);
  return 0;
}
int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int())
    pthread_create(&thread, 0, worker, 0);
  pthread_exit(0);
}
