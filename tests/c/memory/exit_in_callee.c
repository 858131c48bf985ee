// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the locals of all calls of the thread end with it
#include <pthread.h>
static int *p;
static void done(int k) { if (k) pthread_exit(0); }
static void *f(void *v) { int x = 1; p = &x; done(1); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0);
  return *p; // FAILS
}
