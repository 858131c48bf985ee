// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the stream is closed twice
#include <stdio.h>
int main(void) {
  FILE *file = fopen("data", "r");
  if (!file)
    return 1;
  fclose(file);
  fclose(file); // FAILS
}
