// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the text is read while another thread writes it
#include <pthread.h>
#include <stdio.h>
char text[4] = "abc";
static void *work(void *arg) {
  puts(text); // FAILS
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  text[1] = 'x'; // FAILS
  pthread_join(t, 0);
}
