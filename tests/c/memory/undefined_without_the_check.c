// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unknown(bound) tar=unsafe horn=unsafe cover=unsafe
// why: an access out of bounds is undefined behaviour, whatever property is asked for
#include <assert.h>
int a[2];
int main(void) {
  int i = 2;
  if (a[i]) // FAILS
    return 1;
  return 0;
}
