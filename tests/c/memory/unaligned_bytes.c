// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: an integer read across two others is made of their bytes
#include <assert.h>
unsigned a[2] = {0x44332211u, 0x88776655u};
int main(void) {
  unsigned char *c = (unsigned char *)a;
  struct __attribute__((packed)) u { unsigned v; };
  assert(((struct u *)(c + 2))->v == 0x66554433u);
}
