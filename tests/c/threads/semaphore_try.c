// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a semaphore at zero gives -1 and EAGAIN
#include <assert.h>
#include <errno.h>
#include <semaphore.h>
int main(void) {
  sem_t s;
  sem_init(&s, 0, 1);
  assert(sem_trywait(&s) == 0);
  assert(sem_trywait(&s) == -1 && errno == EAGAIN);
  sem_post(&s);
  assert(sem_trywait(&s) == 0);
}
