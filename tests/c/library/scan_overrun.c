// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unknown(work) horn=unknown(work) cover=unsafe
// why: a word without a width can be of any length
#include <stdio.h>
int main(void) {
  char b[8];
  scanf("%s", b); // FAILS
}
