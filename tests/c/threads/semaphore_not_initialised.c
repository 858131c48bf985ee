// truth: unsafe
// property: assert
// why: there is no static initialiser of a semaphore
#include <semaphore.h>
sem_t s;
int main(void) {
  sem_post(&s);  // FAILS
  return 0;
}
