// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the copy needs one byte more
#include <string.h>
int main(void) {
  char b[3];
  strcpy(b, "abc"); // FAILS
}
