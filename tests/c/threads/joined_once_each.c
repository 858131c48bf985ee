// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: one variable, but a new thread each time
#include <pthread.h>
static void *work(void *arg) { return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  return 0;
}
