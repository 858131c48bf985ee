// truth: safe
// property: assert,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: the system's initialiser stands among those of other members
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
struct account { int id; pthread_mutex_t lock; pthread_cond_t cond; int balance; };
struct account a = {1, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 5};
struct account b[2] = {{.balance = 7, .lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP}, {.id = 3}};
pthread_mutex_t many[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP};
int main(void) {
  assert(a.id == 1 && a.balance == 5 && b[0].balance == 7 && b[1].id == 3);
  pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&local);
  pthread_mutex_unlock(&local);
  pthread_mutex_lock(&a.lock);
  pthread_mutex_unlock(&a.lock);
  assert(pthread_mutex_lock(&b[0].lock) == 0 && pthread_mutex_lock(&b[0].lock) == 0);
  assert(pthread_mutex_lock(&many[1]) == 0 && pthread_mutex_lock(&many[1]) != 0);
  local = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  assert(pthread_mutex_trylock(&local) == 0);
}
