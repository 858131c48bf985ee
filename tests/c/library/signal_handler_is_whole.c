// truth: safe
// property: assert
// engines: explore=unknown(work) contexts=unknown(unsupported) tar=safe horn=unknown(work) cover=unknown(work)
// why: nothing of the program runs while a handler does
#include <assert.h>
#include <signal.h>
static volatile sig_atomic_t a, b;
static void count(int number) {
  a = 1;
  b = 1;
}
int main(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, count);
  int second = b;
  int first = a;
  assert(first >= second);
}
