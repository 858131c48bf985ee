// truth: safe
// property: assert,overflow
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: quotients, absolute values, and numbers from text
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
int main(void) {
  char *end;
  assert(div(-7, 2).quot == -3 && div(-7, 2).rem == -1 && ldiv(9, 4).rem == 1);
  assert(abs(-3) == 3 && llabs(INT_MIN) == 2147483648);
  assert(strtol(" -12x", &end, 10) == -12 && *end == 'x');
  assert(strtoul("0xff", 0, 0) == 255 && strtol("077", 0, 0) == 63);
  assert(strtol("zz", &end, 36) == 35 * 36 + 35 && *end == 0);
  errno = 0;
  assert(strtol("99999999999999999999", 0, 10) == LONG_MAX && errno == ERANGE);
  assert(strtol("-99999999999999999999", 0, 10) == LONG_MIN);
  assert(atoi("77") == 77);
}
