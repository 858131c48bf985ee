// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: each thread waits for the one before it
#include <pthread.h>
pthread_t first;
int order;
static void *one(void *unused) {
  order = 1;
  return 0;
}
static void *two(void *unused) {
  pthread_join(first, 0);
  //@ assert order == 1;
  order = 2;
  return 0;
}
int main(void) {
  pthread_t second;
  pthread_create(&first, 0, one, 0);
  pthread_create(&second, 0, two, 0);
  pthread_join(second, 0);
  //@ assert order == 2;
}
