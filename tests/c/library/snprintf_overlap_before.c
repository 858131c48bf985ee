// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: what is printed first lies where the string is read
#include <stdio.h>
int main(void) {
  char text[20] = "hello";
  snprintf(text, sizeof text, "%d%s", 12, text + 1);  // FAILS
  return 0;
}
