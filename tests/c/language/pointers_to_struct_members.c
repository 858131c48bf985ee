// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a write through a pointer to a member is seen in the struct, and only there
#include <assert.h>
struct s { int a; int b[2]; } s, t;
int main(void) {
  int *p = &s.b[1];
  *p = 3;
  int *q = s.b;
  q[1]++;
  assert(s.a == 0 && s.b[0] == 0 && s.b[1] == 4 && t.b[1] == 0);
}
