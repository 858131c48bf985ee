// truth: unsafe
// property: memory
// why: the copy begins inside the text
#include <string.h>
int main(void) {
  char b[8] = "abc";
  strcpy(b + 2, b); // FAILS
}
