// truth: safe
// property: assert
// engines: explore=unknown(work) contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: a handler runs where its signal is raised
#include <assert.h>
#include <signal.h>
static volatile sig_atomic_t seen;
static void handle(int number) { seen = number; }
int main(void) {
  signal(SIGUSR1, handle);
  raise(SIGUSR1);
  assert(seen == SIGUSR1);
}
