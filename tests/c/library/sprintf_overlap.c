// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: a string is printed to where it stands
#include <stdio.h>
int main(void) {
  char text[20] = "hello";
  sprintf(text, "%s!", text);  // FAILS
  return 0;
}
