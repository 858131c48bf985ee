// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(refinement) horn=unknown(refinement) cover=unknown(refinement)
// why: sums of halves are exact in whichever order they are taken
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
double sum;
void *add(void *p) {
  pthread_mutex_lock(&lock);
  sum += *(double *)p;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t a, b;
  double half = 0.5, more = 2;
  pthread_create(&a, 0, add, &half);
  pthread_create(&b, 0, add, &more);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(sum == 2.5);
}
