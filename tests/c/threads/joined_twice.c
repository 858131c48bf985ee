// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: the second join names a thread that is gone
#include <pthread.h>
static void *work(void *arg) { return 0; }
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], 0);
  pthread_join(t[1], 0);  // FAILS
  return 0;
}
