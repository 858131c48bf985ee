// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: designators set what they name, the rest is zero, later ones win
#include <assert.h>
struct s { int a, b; int c[4]; struct { int d, e; } in; };
int main(void) {
  struct s s = {.b = 2, .c = {[2] = 5, 6}, .in.e = 9, .a = 1};
  assert(s.a == 1 && s.b == 2 && s.c[0] == 0 && s.c[2] == 5 && s.c[3] == 6);
  assert(s.in.d == 0 && s.in.e == 9);
  int r[8] = {[1 ... 3] = 4, [6] = 1};
  assert(r[0] == 0 && r[1] == 4 && r[3] == 4 && r[4] == 0 && r[6] == 1);
  int last[] = {[5] = 1, [0] = 2, 3};
  assert(sizeof last == 24 && last[1] == 3 && last[5] == 1);
  struct s old = {b: 3};
  assert(old.b == 3 && old.a == 0);
}
