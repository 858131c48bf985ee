// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a copy of a structure leads to what its members point to
#include <assert.h>
struct counters { int users; };
struct handle { int number; struct counters *counters; };
int enlist(struct handle handle);
static struct counters counters;
int main(void) {
  struct handle handle = {3, &counters};
  enlist(handle);
  assert(handle.number == 3 && handle.counters == &counters);
  assert(counters.users == 0);  // FAILS
}
