// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unsafe
// why: the copy begins inside the text
#include <string.h>
int main(void) {
  char b[8] = "abc";
  strcpy(b + 2, b); // FAILS
}
