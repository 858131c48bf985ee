// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a semaphore that is in use is initialised again
#include <semaphore.h>
sem_t s;
int main(void) {
  sem_init(&s, 0, 1);
  sem_wait(&s);
  sem_init(&s, 0, 1); // FAILS
  sem_wait(&s);
}
