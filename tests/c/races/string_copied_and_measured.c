// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: strlen reads what strcpy writes
#include <pthread.h>
#include <string.h>
char text[8];
static void *work(void *arg) {
  strcpy(text, "abc"); // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  unsigned long n = strlen(text); // FAILS
  pthread_join(t, 0);
  return n > 7;
}
