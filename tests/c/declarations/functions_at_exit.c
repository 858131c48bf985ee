// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: functions at exit run in the reverse order, also those registered then; destructors run last
#include <assert.h>
#include <stdlib.h>
static int n;
__attribute__((destructor)) static void last(void) { assert(n == 4); }
static void third(void) { assert(n == 3); n = 4; }
static void second(void) { assert(n == 2); n = 3; }
static void first(void) {
  assert(n == 1);
  n = 2;
  atexit(second);
}
int main(void) {
  atexit(third);
  atexit(first);
  n = 1;
  exit(0);
}
