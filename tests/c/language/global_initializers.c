// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: globals start with their constants, addresses included, or zero
#include <assert.h>
int a = 3 * 4 + (1 << 2), b, c[3] = {1, 2}, *p = &c[1];
static const char *name = "abc";
struct s { int *q; int (*f)(void); } ;
static int answer(void) { return 42; }
struct s s = {&a, answer};
int main(void) {
  assert(a == 16 && b == 0 && c[2] == 0 && *p == 2);
  assert(name[1] == 'b' && name[3] == 0);
  assert(*s.q == 16 && s.f() == 42);
}
