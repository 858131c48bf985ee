// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the fields are different memory
#include <pthread.h>
struct { char a, b; } s;
static void *work(void *arg) {
  s.a = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  s.b = 1;
  pthread_join(t, 0);
}
