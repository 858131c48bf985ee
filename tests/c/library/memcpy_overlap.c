// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: source and target overlap
#include <string.h>
int main(void) {
  char b[8] = "abcdef";
  memcpy(b + 1, b, 4); // FAILS
}
