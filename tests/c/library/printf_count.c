// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: %n stores how many characters were printed
#include <assert.h>
#include <stdio.h>
int main(void) {
  int n = 0;
  printf("hello%n\n", &n);
  assert(n == 0); // FAILS
}
