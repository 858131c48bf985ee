// truth: unsafe
// property: assert
// why: %n stores how many characters were printed
#include <assert.h>
#include <stdio.h>
int main(void) {
  int n = 0;
  printf("hello%n\n", &n);
  assert(n == 0); // FAILS
}
