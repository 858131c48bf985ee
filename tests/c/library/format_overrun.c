// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: the text and its end need five bytes
#include <stdio.h>
int main(void) {
  char b[4];
  sprintf(b, "%d", 1234); // FAILS
}
