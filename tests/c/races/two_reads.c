// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: reads do not race
#include <pthread.h>
int x = 3;
static void *work(void *arg) {
  int y = x;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  int y = x;
  pthread_join(t, 0);
}
