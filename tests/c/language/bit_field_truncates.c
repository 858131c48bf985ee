// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a field of two bits cannot hold four
#include <assert.h>
struct { unsigned a : 2; } s;
int main(void) {
  s.a = 4;
  assert(s.a == 4); // FAILS
}
