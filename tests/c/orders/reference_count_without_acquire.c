// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(not_certified) horn=unknown(work) cover=unknown(work)
// why: the last owner frees what another may still read
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct counted {
  atomic_int count;
  int value;
} *shared;
static void *first(void *arg) {
  int seen = shared->value;  // CAN FAIL
  if (atomic_fetch_sub_explicit(&shared->count, 1, memory_order_release) == 1) {  // FAILS
    free(shared);  // CAN FAIL
  }
  return 0;
}
static void *second(void *arg) {
  int seen = shared->value;  // CAN FAIL
  if (atomic_fetch_sub_explicit(&shared->count, 1, memory_order_release) == 1) {  // CAN FAIL
    free(shared); // FAILS
  }
  return 0;
}
int main(void) {
  pthread_t t[2];
  shared = malloc(sizeof *shared);
  shared->value = 7;
  atomic_init(&shared->count, 2);
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
