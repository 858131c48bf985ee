// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(work) cover=unknown(work)
// why: each mutex is new, or was destroyed before
#include <pthread.h>
#include <stdlib.h>
struct queue {
  pthread_mutex_t m;
};
static struct queue *make(void) {
  struct queue *queue = malloc(sizeof *queue);
  pthread_mutex_init(&queue->m, 0);
  return queue;
}
static void prepare(pthread_mutex_t *m) { pthread_mutex_init(m, 0); }
int main(void) {
  pthread_mutex_t own;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_t m;
    struct queue *queue = make();
    prepare(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    prepare(&own);
    pthread_mutex_destroy(&own);
    free(queue);
  }
}
