// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: opening a file can fail
#include <stdio.h>
int main(void) {
  FILE *file = fopen("data", "r");
  return fgetc(file); // FAILS
}
