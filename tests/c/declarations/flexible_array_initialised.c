// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a static object has the elements of its flexible array member
#include <assert.h>
struct s { int n; char text[]; };
static struct s v = {2, {5, 6}};
static struct s w = {3, "abc"};
int main(void) {
  assert(v.text[1] == 6 && w.text[2] == 'c' && w.text[3] == 0 && sizeof v == 4);
  return 0;
}
