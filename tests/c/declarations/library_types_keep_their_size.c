// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: types that models replace have the size and the alignment of the system header's
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
struct s {
  char a;
  pthread_mutex_t mutex;
  char b;
  sem_t semaphore;
  char c;
  pthread_cond_t condition;
  int d;
};
int main(void) {
  assert(sizeof(pthread_mutex_t) == 40 && sizeof(sem_t) == 32 && sizeof(pthread_cond_t) == 48);
  assert(offsetof(struct s, b) == 48 && offsetof(struct s, c) == 88 && offsetof(struct s, d) == 144);
  return 0;
}
