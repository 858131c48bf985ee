// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: thrd_exit in a call
#include <threads.h>
static int *p;
static void g(void) { thrd_exit(3); }
static int f(void *v) { int x = 1; p = &x; g(); return 0; }
int main(void) { thrd_t t; thrd_create(&t, f, 0); thrd_join(t, 0);
  return *p; // FAILS
}
