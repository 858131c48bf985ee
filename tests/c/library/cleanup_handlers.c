// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: handlers run at the end of a thread, the last one first, and where they are popped
#include <assert.h>
#include <pthread.h>
static int log_[4], n;
static void put(void *k) { log_[n++] = (int)(long)k; }
static void done(int end) { if (end) pthread_exit(0); }
static void *f(void *end) {
  pthread_cleanup_push(put, (void *)1L);
  pthread_cleanup_push(put, (void *)2L);
  done((long)end);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(1);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, (void *)1L);
  pthread_join(t, 0);
  assert(n == 2 && log_[0] == 2 && log_[1] == 1);
  f(0);
  assert(n == 3 && log_[2] == 1);
  return 0;
}
