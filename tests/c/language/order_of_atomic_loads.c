// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unknown(work)
// why: another thread runs between the loads
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *t(void *p) { atomic_store(&x, 1); atomic_store(&y, 1); return 0; }
int main(void) { pthread_t h; pthread_create(&h, 0, t, 0);
 int r = atomic_load(&x) * 2 + atomic_load(&y);
 assert(r != 1); // FAILS
 pthread_join(h, 0); return 0; }
