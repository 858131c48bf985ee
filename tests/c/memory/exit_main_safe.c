// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: nothing of main is used after its end
#include <pthread.h>
static int x;
static void *f(void *v) { *(int *)v = 1; return 0; }
static void bye(void) { pthread_exit(0); }
int main(void) { pthread_t t; pthread_create(&t, 0, f, &x); bye(); return 0; }
