// truth: unsafe
// property: memory
// why: a word without a width can be of any length
#include <stdio.h>
int main(void) {
  char b[8];
  scanf("%s", b); // FAILS
}
