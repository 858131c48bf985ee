// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: %s reads the string behind the pointer
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char *s = malloc(2);
  s[0] = 'a';
  s[1] = 0;
  free(s);
  printf("%s\n", s); // FAILS
}
