// truth: unsafe
// property: memory
// why: the text and its end need five bytes
#include <stdio.h>
int main(void) {
  char b[4];
  sprintf(b, "%d", 1234); // FAILS
}
