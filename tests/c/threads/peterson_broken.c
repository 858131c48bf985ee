// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: the turn is given before the flag is raised
#include <assert.h>
#include <pthread.h>
int flag[2], turn, inside;
static void *work(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
  turn = other;
  flag[me] = 1;
  while (flag[other] && turn == other)
    ;
  inside++;
  assert(inside == 1); // FAILS
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
