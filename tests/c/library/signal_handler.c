// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unsafe
// why: the handler runs between the two reads
#include <assert.h>
#include <signal.h>
static volatile sig_atomic_t a, b;
static void count(int number) {
  a = 1;
  b = 1;
}
int main(void) {
  signal(SIGINT, count);
  int first = a;
  int second = b;
  assert(first == second); // FAILS
}
