// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the same mutex is reached through a pointer, a struct and an array
#include <assert.h>
#include <pthread.h>
struct { pthread_mutex_t m[2]; } s;
pthread_mutex_t *p = &s.m[1];
int x;
static void *work(void *arg) {
  pthread_mutex_lock(p);
  x++;
  pthread_mutex_unlock(&s.m[1]);
  return 0;
}
int main(void) {
  pthread_t t;
  int i = 1;
  pthread_mutex_init(&s.m[i], 0);
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&s.m[i]);
  x++;
  pthread_mutex_unlock(p);
  pthread_join(t, 0);
  assert(x == 2);
}
