// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: Peterson's algorithm excludes under sequential consistency
#include <assert.h>
#include <pthread.h>
int flag[2], turn, inside;
static void *work(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
  flag[me] = 1;
  turn = other;
  while (flag[other] && turn == other)
    ;
  inside++;
  assert(inside == 1);
  inside--;
  flag[me] = 0;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, (void *)1);
  work((void *)0);
  pthread_join(t, 0);
}
