// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: nobody posts
#include <semaphore.h>
int main(void) {
  sem_t s;
  sem_init(&s, 0, 1);
  sem_wait(&s);
  sem_wait(&s); // FAILS
}
