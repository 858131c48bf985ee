// truth: safe
// property: race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: each thread has an object of its own
#include <pthread.h>
#include <time.h>
static void *look(void *unused) {
  time_t now = 0;
  struct tm date;
  localtime_r(&now, &date);
  return unused;
}
int main(void) {
  pthread_t thread;
  time_t now = 0;
  struct tm date;
  pthread_create(&thread, 0, look, 0);
  gmtime_r(&now, &date);
  pthread_join(thread, 0);
}
