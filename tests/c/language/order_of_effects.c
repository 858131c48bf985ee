// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the full effect of a call happens before its result is used
#include <assert.h>
static int g;
static int set(int v) { g = v; return v; }
int main(void) {
  int r = set(3) + 0 * g;
  assert(g == 3 && r == 3);
  int i = 0;
  int a[4] = {0};
  a[i] = 7, i++;
  assert(a[0] == 7 && i == 1);
  g = 1;
  g = set(5) + 1;
  assert(g == 6);
}
