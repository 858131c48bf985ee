// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: an attribute on a member only raises its alignment unless it is packed; a typedef may lower it
#include <assert.h>
#include <stddef.h>
typedef long low __attribute__((aligned(2)));
struct a { char c; long m __attribute__((aligned(2))); };
struct b { char c; low m; };
struct c { char c; long m __attribute__((packed, aligned(2))); };
struct d { char c; _Alignas(16) char e; };
struct __attribute__((packed)) e { char c; low m; unsigned f : 20; };
int main(void) {
  assert(sizeof(struct a) == 16 && sizeof(struct b) == 10 && sizeof(struct c) == 10);
  assert(offsetof(struct d, e) == 16 && sizeof(struct d) == 32);
  assert(offsetof(struct e, m) == 1 && sizeof(struct e) == 12);
  return 0;
}
