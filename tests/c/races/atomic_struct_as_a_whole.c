// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: an atomic struct is read and written as a whole
#include <pthread.h>
struct pair {
  int a, b;
};
_Atomic struct pair shared;
static void *work(void *arg) {
  struct pair own = {1, 2};
  shared = own;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  struct pair seen = shared;
  pthread_join(t, 0);
}
