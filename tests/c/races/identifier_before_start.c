// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the identifier is stored before the new thread runs
#include <pthread.h>
pthread_t self;
static void *work(void *arg) {
  pthread_t mine = self;
  return 0;
}
int main(void) {
  pthread_create(&self, 0, work, 0);
  pthread_join(self, 0);
}
