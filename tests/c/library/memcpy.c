// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: bytes are copied with their meaning
#include <assert.h>
#include <string.h>
struct s { int a; char b[3]; };
int main(void) {
  struct s x = {7, "hi"}, y;
  memcpy(&y, &x, sizeof x);
  assert(y.a == 7 && y.b[1] == 'i');
  int a[4] = {1, 2, 3, 4};
  memmove(a + 1, a, 3 * sizeof(int));
  assert(a[1] == 1 && a[3] == 3);
  memmove(a, a + 2, 2 * sizeof(int));
  assert(a[0] == 2 && a[1] == 3);
}
