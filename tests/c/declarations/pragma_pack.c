// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: packing ends members and records at the given alignment, and is saved and restored
#include <assert.h>
#include <stddef.h>
#pragma pack(push, 1)
struct one { char c; int i; };
#pragma pack(2)
struct two { char c; int i; long long l __attribute__((aligned(16))); };
#pragma pack(pop)
struct usual { char c; int i; };
int main(void) {
  struct one v = {1, 2};
  assert(sizeof(struct one) == 5 && ((char *)&v)[1] == 2);
  assert(sizeof(struct two) == 14 && offsetof(struct two, i) == 2 && offsetof(struct two, l) == 6);
  assert(sizeof(struct usual) == 8);
  return 0;
}
