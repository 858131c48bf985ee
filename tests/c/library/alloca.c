// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: memory from alloca is used like any other
#include <alloca.h>
#include <assert.h>
static int sum(int n) {
  int *a = alloca(n * sizeof(int)), s = 0;
  for (int i = 0; i < n; i++)
    a[i] = i;
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
int main(void) { assert(sum(3) == 3); }
