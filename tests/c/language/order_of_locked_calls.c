// truth: safe
// property: race,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(work)
// why: each call takes the lock by itself
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int n;
static int next(void) { pthread_mutex_lock(&m); int r = n++; pthread_mutex_unlock(&m); return r; }
static void *t(void *p) { return (void *)(long)(next() + next()); }
int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); t(0); pthread_join(a, 0); return 0; }
