// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the locals of main end when its thread does
#include <pthread.h>
static void *f(void *v) { *(int *)v = 1; return 0; } // FAILS
int main(void) { int x = 0; pthread_t t; pthread_create(&t, 0, f, &x); pthread_exit(0); }
