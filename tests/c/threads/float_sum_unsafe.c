// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(refinement) horn=unsafe cover=unsafe
// why: 0.1, 0.2 and 0.4 give another sum in another order
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
double sum = 0.1;
void *add(void *p) {
  pthread_mutex_lock(&lock);
  sum += *(double *)p;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t a, b;
  double two = 0.2, four = 0.4;
  pthread_create(&a, 0, add, &two);
  pthread_create(&b, 0, add, &four);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(sum == 0.1 + 0.2 + 0.4); // FAILS
}
