// truth: safe
// property: memory,assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the value given at the end of the thread arrives, and nothing more of the callers runs
#include <assert.h>
#include <pthread.h>
static int after;
static int done(int k) { int l; int *q = &l; *q = k; if (*q) pthread_exit((void *)7L); return 3; }
static void mid(int k) { int y = done(k); after += y; }
static void *f(void *v) { int x = 1; mid(0); mid(x); after = 100; return 0; }
int main(void) { pthread_t t; void *r; pthread_create(&t, 0, f, 0); pthread_join(t, &r);
  assert((long)r == 7 && after == 3);
  return 0; }
