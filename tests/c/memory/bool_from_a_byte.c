// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(unsupported) horn=unsafe cover=unknown(unsupported)
// why: a _Bool whose byte is 3 has no value, and reading it is undefined
#include <string.h>
int main(void) {
  _Bool flag;
  unsigned char byte = 3;
  memcpy(&flag, &byte, 1);
  return flag ? 1 : 0; // FAILS
}
