// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: which function the thread runs is decided by a table
#include <assert.h>
#include <pthread.h>
int x;
static void *one(void *arg) { x = 1; return 0; }
static void *two(void *arg) { x = 2; return 0; }
static void *(*const table[])(void *) = {one, two};
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, table[1], 0);
  pthread_join(t, 0);
  assert(x == 2);
}
