// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: every byte gets the value
#include <assert.h>
#include <string.h>
struct s { int a; char b[3]; };
int main(void) {
  unsigned a[2];
  memset(a, 0xab, sizeof a);
  assert(a[1] == 0xababababu);
  struct s s;
  memset(&s, 0, sizeof s);
  assert(s.a == 0 && s.b[2] == 0);
}
