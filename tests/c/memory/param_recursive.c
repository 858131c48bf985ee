// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: each call has parameters of its own
#include <assert.h>
struct S { int n; int *p; int a[2]; };
static int f(struct S s) {
  if (s.n == 0) return *s.p;
  s.n--; s.a[0]++;
  int k = s.n;
  s.p = &k;
  int r = f(s);
  assert(s.n == k && s.a[0] == 2 - k);
  return r;
}
int main(void) { int z = 5; struct S s = {2, &z, {0}}; assert(f(s) == 0); assert(s.n == 2 && s.a[0] == 0); return 0; }
