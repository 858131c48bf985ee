// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the identifiers are stored before the threads that read them run, or under a mutex
#include <pthread.h>
pthread_t all[2];
int count;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *nothing(void *arg) { return 0; }
static void *work(void *arg) {
  pthread_mutex_lock(&m);
  pthread_create(&all[count++], 0, nothing, 0);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, work, 0);
  pthread_create(&t, 0, work, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  for (int i = 0; i < count; i++)
    pthread_join(all[i], 0);
}
