// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: reading through a pointer without const
#include <pthread.h>
static int r;
static void *f(void *v) { r = *(int *)v; return 0; }
int main(void) { for (int i = 0; i < 2; i++) { const int x = i; const int t[3] = {1, i}; pthread_t h; pthread_create(&h, 0, f, (void *)&x); pthread_join(h, 0); if (r != x || t[1] != i) *(int *)0 = 1; } return 0; }
