// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: each thread has its own element
#include <pthread.h>
int a[2];
static void *work(void *arg) {
  a[(long)arg] = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, (void *)1);
  work((void *)0);
  pthread_join(t, 0);
}
