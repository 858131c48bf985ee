// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: an array parameter is a pointer
#include <assert.h>
static int last(int n, const int a[static n]) { return a[n - 1]; }
static unsigned long size(int a[10]) { return sizeof a; }
static int corner(int m[][2]) { return m[1][1]; }
int main(void) {
  int a[3] = {1, 2, 3}, m[2][2] = {{1, 2}, {3, 4}};
  assert(last(3, a) == 3 && size(a) == 8 && corner(m) == 4);
}
