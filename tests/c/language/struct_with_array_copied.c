// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: copying a struct copies the array inside
#include <assert.h>
struct s { int a[3]; char c; };
int main(void) {
  struct s x = {{1, 2, 3}, 'x'}, y = x;
  x.a[1] = 9;
  assert(y.a[1] == 2 && y.c == 'x');
  struct s z[2];
  z[1] = y;
  assert(z[1].a[2] == 3);
}
