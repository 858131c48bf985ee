// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: 0 and 1 are the bytes of truth values
#include <assert.h>
#include <string.h>
static _Bool flags[2];
int main(void) {
  unsigned char bytes[2] = { 1, 0 };
  memcpy(flags, bytes, 2);
  assert(flags[0] && !flags[1]);
}
