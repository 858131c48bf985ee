// truth: safe
// property: assert
// engines: explore=unknown(128) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: a product that needs 128 bits
#include <assert.h>
int main(void) {
  unsigned long a = 1ul << 63;
  unsigned __int128 p = (unsigned __int128)a * 4;
  assert((unsigned long)(p >> 64) == 2);
}
