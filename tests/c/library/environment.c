// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(work) cover=unknown(work)
// why: a variable stays the same until it is set
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  if (getenv("HOME"))
    assert(getenv("HOME"));
  setenv("SELVEDGE", "a", 1);
  setenv("SELVEDGE", "b", 0);
  assert(strcmp(getenv("SELVEDGE"), "a") == 0);
  unsetenv("SELVEDGE");
  assert(!getenv("SELVEDGE"));
}
