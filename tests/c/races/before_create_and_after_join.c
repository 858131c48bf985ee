// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: creation and join order the accesses
#include <pthread.h>
int x;
static void *work(void *arg) {
  x = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  x = 2;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
  x = 3;
}
