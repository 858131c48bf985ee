// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the result is the length that was wanted, and what fits ends with a zero
#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  char small[4], large[16];
  assert(snprintf(small, sizeof small, "%d-%s", 12, "xyz") == 6);
  assert(strcmp(small, "12-") == 0);
  assert(snprintf(0, 0, "%05d", -3) == 5);
  sprintf(large, "%x|%3d|%-3d|%c", 255, 7, 7, 'q');
  assert(strcmp(large, "ff|  7|7  |q") == 0);
}
