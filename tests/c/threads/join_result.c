// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: join hands over what the thread returned, or gave to pthread_exit
#include <assert.h>
#include <pthread.h>
static void leave(long n) { pthread_exit((void *)(n + 1)); }
static void *work(void *arg) {
  if ((long)arg > 5)
    leave((long)arg);
  return arg;
}
int main(void) {
  pthread_t a, b;
  void *ra, *rb;
  pthread_create(&a, 0, work, (void *)3);
  pthread_create(&b, 0, work, (void *)10);
  pthread_join(a, &ra);
  pthread_join(b, &rb);
  assert(ra == (void *)3 && (long)rb == 11);
}
