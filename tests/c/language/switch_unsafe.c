// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a missing break falls through
#include <assert.h>
int main(void) {
  int r = 0;
  switch (2) {
  case 2:
    r = 1;
  case 3:
    r = 2;
  }
  assert(r == 1); // FAILS
}
