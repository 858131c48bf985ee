// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: members of anonymous structs and unions belong to the outer struct
#include <assert.h>
struct outer {
  int tag;
  union {
    struct { short low, high; };
    int whole;
  };
  struct inner { int v[2]; } in;
};
int main(void) {
  struct outer o = {.tag = 1, .whole = 0x00020003, .in = {{7, 8}}};
  assert(o.low == 3 && o.high == 2);
  o.high = 0;
  assert(o.whole == 3);
  assert(o.in.v[1] == 8);
}
