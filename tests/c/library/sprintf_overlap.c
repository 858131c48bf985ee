// truth: unsafe
// property: memory
// why: a string is printed to where it stands
#include <stdio.h>
int main(void) {
  char text[20] = "hello";
  sprintf(text, "%s!", text);  // FAILS
  return 0;
}
