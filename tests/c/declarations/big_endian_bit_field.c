// truth: safe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: bit-fields of the other byte order are not supported
#include <assert.h>
struct __attribute__((scalar_storage_order("big-endian"))) { int a : 4; int b : 4; } s;
int main(void) {
  s.a = 1;
  assert(*(char *)&s == 16);
  return 0;
}
