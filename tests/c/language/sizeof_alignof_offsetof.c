// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: sizes, alignments and offsets follow the System V layout
#include <assert.h>
#include <stddef.h>
struct s { char c; int i; char d; long l; short t[3]; };
struct __attribute__((packed)) packed { char c; int i; };
struct aligned { char c; _Alignas(16) char d; };
int main(void) {
  assert(sizeof(struct s) == 32 && offsetof(struct s, i) == 4 && offsetof(struct s, d) == 8);
  assert(offsetof(struct s, l) == 16 && offsetof(struct s, t[2]) == 28);
  assert(_Alignof(struct s) == 8 && __alignof__(short) == 2);
  assert(sizeof(struct packed) == 5 && offsetof(struct packed, i) == 1);
  assert(sizeof(struct aligned) == 32 && offsetof(struct aligned, d) == 16);
  int n = 0;
  assert(sizeof(n++) == 4 && n == 0);
  assert(sizeof(int[3]) == 12 && sizeof(char) == 1);
}
