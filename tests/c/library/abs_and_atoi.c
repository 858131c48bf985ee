// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the absolute value, and numbers read from text
#include <assert.h>
#include <stdlib.h>
int main(void) {
  assert(abs(-3) == 3 && labs(4) == 4);
  assert(atoi("42") == 42 && atoi(" -7x") == -7);
  char *end;
  assert(strtol("0x1fz", &end, 0) == 31 && *end == 'z');
}
