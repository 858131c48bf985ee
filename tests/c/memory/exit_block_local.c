// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unsafe
// why: a block that the thread ends in
#include <pthread.h>
static int *p;
static void *f(void *v) { for (int i = 0; i < 2; i++) { int x = 1; p = &x; if (i) pthread_exit(0); } return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0);
  return *p; // FAILS
}
