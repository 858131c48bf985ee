// truth: safe
// property: assert,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the second round waits for both again, and one thread a round is the serial one
#include <assert.h>
#include <pthread.h>
int turn[2];
int serial;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t b;
static void *work(void *arg) {
  int me = (int)(long)arg;
  for (int round = 1; round <= 2; round++) {
    turn[me] = round;
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) {
      pthread_mutex_lock(&m);
      serial++;
      pthread_mutex_unlock(&m);
    }
    assert(turn[1 - me] >= round);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_barrier_init(&b, 0, 2);
  pthread_create(&t, 0, work, (void *)1);
  work((void *)0);
  pthread_join(t, 0);
  pthread_barrier_destroy(&b);
  assert(serial == 2);
}
