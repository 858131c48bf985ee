// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=safe locks=safe
// why: a static local keeps its value between calls
#include <assert.h>
static int next(void) {
  static int n = 10;
  return n++;
}
static int other(void) {
  static int n;
  return ++n;
}
int main(void) {
  assert(next() == 10);
  other();
  assert(next() == 11 && other() == 2);
}
