// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the time is an input
#include <assert.h>
#include <time.h>
int main(void) {
  time_t now = time(0);
  assert(now != 1000); // FAILS
}
