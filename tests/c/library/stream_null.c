// truth: unsafe
// property: memory
// why: opening a file can fail
#include <stdio.h>
int main(void) {
  FILE *file = fopen("data", "r");
  return fgetc(file); // FAILS
}
