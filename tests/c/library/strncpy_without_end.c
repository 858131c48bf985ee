// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unsafe
// why: no zero is copied
#include <string.h>
int main(void) {
  char text[3];
  strncpy(text, "abc", 3);
  return strlen(text) > 3; // FAILS
}
