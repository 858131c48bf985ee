// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the source is shorter than the length
#include <string.h>
int main(void) {
  char a[4] = "abc", b[8];
  memcpy(b, a, 5); // FAILS
}
