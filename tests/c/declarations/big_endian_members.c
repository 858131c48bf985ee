// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(work) cover=unknown(work)
// why: numbers of a record with the other byte order are swapped when they are read or written
#include <assert.h>
struct __attribute__((scalar_storage_order("big-endian"))) s {
  short a;
  int b;
  int c[2];
};
struct s v = {1, 2, {3, 4}};
int main(void) {
  unsigned char *bytes = (unsigned char *)&v;
  assert(bytes[1] == 1 && bytes[7] == 2 && bytes[11] == 3 && bytes[15] == 4);
  v.b += 256;
  v.c[1]++;
  assert(v.b == 258 && bytes[6] == 1 && bytes[7] == 2 && bytes[15] == 5);
  struct s w = v;
  assert(w.a == 1 && w.b == 258);
  return 0;
}
