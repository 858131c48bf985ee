// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a stream gives what its functions promise
#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  char b[4];
  FILE *file = fopen("no such file", "r");
  if (!file)
    return 0;
  if (fgets(b, sizeof b, file))
    assert(strlen(b) < sizeof b);
  assert(fread(b, 1, sizeof b, file) <= sizeof b);
  fclose(file);
}
