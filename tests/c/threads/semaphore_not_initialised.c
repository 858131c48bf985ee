// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: there is no static initialiser of a semaphore
#include <semaphore.h>
sem_t s;
int main(void) {
  sem_post(&s);  // FAILS
  return 0;
}
