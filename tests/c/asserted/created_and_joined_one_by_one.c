// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(refinement) horn=unknown(work) cover=unknown(refinement)
// why: there is one worker at a time
#include <pthread.h>
int sum;
static void *work(void *unused) {
  int old = sum;
  sum = old + 2;
  return 0;
}
int main(void) {
  for (int i = 0; i < 4; i++) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    //@ assert sum == 2 * (i + 1);
  }
}
