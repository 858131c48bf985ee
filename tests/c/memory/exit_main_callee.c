// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: main ends in a call
#include <pthread.h>
static void *f(void *v) { *(int *)v = 1; return 0; } // FAILS
static void bye(void) { pthread_exit(0); }
int main(void) { int x; pthread_t t; pthread_create(&t, 0, f, &x); bye(); return 0; }
