// truth: safe
// property: assert,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(work) cover=unknown(work)
// why: a bounded buffer with two conditions keeps its order and loses nothing
#include <assert.h>
#include <pthread.h>
int buffer, full;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static void *produce(void *arg) {
  for (int i = 1; i <= 2; i++) {
    pthread_mutex_lock(&m);
    while (full)
      pthread_cond_wait(&emptied, &m);
    buffer = i;
    full = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, produce, 0);
  for (int i = 1; i <= 2; i++) {
    pthread_mutex_lock(&m);
    while (!full)
      pthread_cond_wait(&filled, &m);
    assert(buffer == i);
    full = 0;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&m);
  }
  pthread_join(t, 0);
}
